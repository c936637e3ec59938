"""The exceptions of the package. All have the attributes subject, cause and remedy, which are texts."""


class _Explained:
    """An exception with the message "SUBJECT: CAUSE; REMEDY". Parts that are empty are left out."""

    def __init__(self, subject, cause="", remedy=""):
        super().__init__(str(subject) + (f": {cause}" if cause else "") + (f"; {remedy}" if remedy else ""))
        self.subject, self.cause, self.remedy = str(subject), cause, remedy

    def __reduce__(self):  # so that a process can pass the exception to another process
        return type(self), (self.subject, self.cause, self.remedy)


class DimensionError(_Explained, ValueError):
    """An array does not have one, two or three dimensions."""


class FormatError(_Explained, ValueError):
    """A file is truncated or corrupt, or its format or content is not supported."""


class DeviceError(_Explained, RuntimeError):
    """A device does not exist, or this build cannot use it."""


class _NotFound(_Explained, FileNotFoundError):
    pass


class _Exists(_Explained, FileExistsError):
    pass


class _NotPermitted(_Explained, PermissionError):
    pass


class _SystemError(_Explained, OSError):
    pass


class _UsageError(_Explained, ValueError):
    pass


class _OutOfMemory(_Explained, MemoryError):
    pass


class _Failure(_Explained, RuntimeError):
    pass


EXCEPTIONS = {
    64: _UsageError, 65: FormatError, 66: _NotFound, 69: DeviceError, 71: _OutOfMemory, 73: _Exists, 74: _SystemError, 77: _NotPermitted,
    78: _UsageError,
}  # fmt: skip


def of_exit_code(code, subject, cause, remedy):
    """The exception for an exit code of the program."""
    return EXCEPTIONS.get(code, _Failure)(subject, cause, remedy)
