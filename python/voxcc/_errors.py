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


class NotFound(_Explained, FileNotFoundError):
    pass


class Exists(_Explained, FileExistsError):
    pass


class NotPermitted(_Explained, PermissionError):
    pass


class FileSystemFailure(_Explained, OSError):
    pass


class UsageError(_Explained, ValueError):
    pass


class WrongType(_Explained, TypeError):
    pass


class OutOfMemory(_Explained, MemoryError):
    pass


class Failure(_Explained, RuntimeError):
    pass


# Per exit code of the program.
EXCEPTIONS = {
    64: UsageError, 65: FormatError, 66: NotFound, 69: DeviceError, 71: OutOfMemory, 73: Exists, 74: FileSystemFailure, 77: NotPermitted,
    78: UsageError,
}  # fmt: skip
