/* Linked into the library of kernels: whether the processor has what x86-64-v2 adds, without which they cannot run. */
#if defined(__x86_64__)
#include <cpuid.h>

/* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT */
#define NEEDED (1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23)

int runs_here(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & NEEDED) == NEEDED;
}
#else
int runs_here(void) { return 1; }
#endif
