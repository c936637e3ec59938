// All public headers. Most programs need only voxcc/label.h.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/contacts.h>
#include <voxcc/device.h>
#include <voxcc/error.h>
#include <voxcc/foreground.h>
#include <voxcc/holes.h>
#include <voxcc/label.h>
#include <voxcc/match.h>
#include <voxcc/measure.h>
#include <voxcc/parts.h>
#include <voxcc/shape.h>
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include <voxcc/tree.h>
#include <voxcc/volume.h>
