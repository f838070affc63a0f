c++ -std=c++20 consumer.cc -o consumer $(pkg-config --cflags --libs soresolve)
