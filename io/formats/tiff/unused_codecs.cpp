// Takes the place of codecs in a static libtiff that voxcc does not read (tiff_page.cpp). Without this file, the program would contain
// libwebp and jbigkit. The licence of jbigkit (GPL) would then apply to the program.
//
// libtiff calls these functions when a file names the codec; 0 means that the codec is not available.

struct tiff;

extern "C" {
int TIFFInitJBIG(tiff*, int) { return 0; }
int TIFFInitWebP(tiff*, int) { return 0; }
}
