// A part of cuDNN that is only there.
