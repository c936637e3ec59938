"""The peers in memory. Each is a function of a case. It returns None if it does not support the case, else a call without arguments that
returns a Timing."""

import dataclasses
import time
from typing import Any

from .volumes import Volume

STEPS = {6: 1, 18: 2, 26: 3, 8: 2}  # connectivity -> maximum number of unit steps along axes between two neighbours


@dataclasses.dataclass
class Case:
    volume: Volume
    connectivity: int
    array: Any  # numpy array, [z, y, x] or [y, x]

    @property
    def steps(self):
        return STEPS[self.connectivity]


@dataclasses.dataclass
class Timing:
    seconds: dict  # task -> seconds
    components: int


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def cc3d(case):
    import cc3d as library
    import numpy as np

    def call():
        seconds, (labels, count) = timed(lambda: library.connected_components(
            case.array, connectivity=case.connectivity, binary_image=not case.volume.multilabel, out_dtype=np.uint32, return_N=True))
        measuring, _ = timed(lambda: library.statistics(labels))
        return Timing({"label": seconds, "measure": measuring}, count)

    return call


def scipy(case):
    import scipy.ndimage

    if case.volume.multilabel:
        return None
    structure = scipy.ndimage.generate_binary_structure(case.array.ndim, case.steps)

    def call():
        seconds, (_, count) = timed(lambda: scipy.ndimage.label(case.array, structure))
        return Timing({"label": seconds}, count)

    return call


def skimage(case):
    import skimage.measure

    def call():
        seconds, (_, count) = timed(lambda: skimage.measure.label(case.array, connectivity=case.steps, background=0, return_num=True))
        return Timing({"label": seconds}, count)

    return call


def simpleitk(case):
    import SimpleITK

    if case.volume.multilabel or case.connectivity == 18:
        return None
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    image = SimpleITK.GetImageFromArray(case.array)
    labeller = SimpleITK.ConnectedComponentImageFilter()
    labeller.SetFullyConnected(case.connectivity in (26, 8))

    def call():
        seconds, _ = timed(lambda: labeller.Execute(image))
        return Timing({"label": seconds}, labeller.GetObjectCount())

    return call


def opencv(algorithm):
    """Supports only images. The labels are written to memory that is reused. They are 1..K, in the order of the algorithm's blocks."""

    def method(case):
        import cv2
        import numpy as np

        if case.array.ndim != 2:
            return None
        cv2.setNumThreads(1)
        labels = np.zeros(case.array.shape, np.int32)

        def call():
            seconds, (count, _) = timed(lambda: cv2.connectedComponentsWithAlgorithm(
                case.array, case.connectivity, cv2.CV_32S, getattr(cv2, algorithm), labels))
            return Timing({"label": seconds}, count - 1)  # OpenCV counts the background

        return call

    return method


# Name -> method, imported module, package that contains the module.
PEERS = {
    "cc3d": (cc3d, "cc3d", "connected-components-3d"),
    "scipy": (scipy, "scipy", "scipy"),
    "scikit-image": (skimage, "skimage", "scikit-image"),
    "SimpleITK": (simpleitk, "SimpleITK", "SimpleITK"),
    "OpenCV BBDT": (opencv("CCL_BBDT"), "cv2", "opencv-python-headless"),
    "OpenCV SPAGHETTI": (opencv("CCL_SPAGHETTI"), "cv2", "opencv-python-headless"),
}
