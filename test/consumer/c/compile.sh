cc -std=c99 consumer.c -o shared $(pkg-config --cflags --libs soresolve)
cc -std=c99 -static consumer.c -o static $(pkg-config --static --cflags --libs soresolve)
