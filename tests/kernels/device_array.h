// Memory of a CUDA device, for tests.
#pragma once
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstddef>

/// Memory of the current CUDA device for `count` elements.
template <class T>
struct DeviceArray {
    explicit DeviceArray(std::size_t count) { REQUIRE(cudaMalloc(&data, count * sizeof(T)) == cudaSuccess); }
    ~DeviceArray() { cudaFree(data); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data = nullptr;
};
