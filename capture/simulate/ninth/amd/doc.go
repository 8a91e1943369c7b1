package amd
