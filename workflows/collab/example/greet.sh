#!/bin/sh
# greet.sh NAME: greets somebody.
echo "Hello, $1"
