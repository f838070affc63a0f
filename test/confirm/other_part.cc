// A part of cuDNN from another release, as the false cuDNN knows it.
extern "C" {
int false_release = 8;
}
