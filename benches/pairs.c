/* The yardstick of the bench `pairs`: all class-conditional pair tables by hand, in two ways, as plainly as C allows.
 * One thread, 8-bit codes below their arity, no gaps, no errors.
 *
 * Columns lie one behind the other in x (n of rows codes each, r values), the classes in y (s values). The table of
 * columns j < i starts at tables[p * s * r * r], p = i * (i - 1) / 2 + j; its cell (c * r + a) * r + b counts
 * the rows of class c with value a in column i and b in column j. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__AVX2__) && defined(__BMI2__)
#include <immintrin.h>
#endif

enum { TILE_ROWS = 8192, TILE_BYTES = 1 << 20 };

/* One increment a row and pair, over tiles of rows that stay in a near cache. */
void pairs_by_histogram(const uint8_t *x, const uint8_t *y, size_t rows, size_t n, size_t r, size_t s, uint32_t *tables) {
  static uint16_t index[TILE_ROWS];
  size_t cells = s * r * r;
  memset(tables, 0, n * (n - 1) / 2 * cells * sizeof *tables);
  for (size_t start = 0; start < rows; start += TILE_ROWS) {
    size_t count = rows - start < TILE_ROWS ? rows - start : TILE_ROWS;
    uint32_t *table = tables;
    for (size_t i = 0; i < n; i++) {
      const uint8_t *left = x + i * rows + start;
      for (size_t t = 0; t < count; t++) index[t] = (y[start + t] * r + left[t]) * r;
      for (size_t j = 0; j < i; j++, table += cells) {
        const uint8_t *right = x + j * rows + start;
        for (size_t t = 0; t < count; t++) table[index[t] + right[t]]++;
      }
    }
  }
}

/* The bits of the rows, among the 64 (or fewer) from here, that have this value. */
static inline uint64_t rows_with(const uint8_t *codes, size_t count, uint8_t value) {
#if defined(__AVX512BW__)
  if (count >= 64) return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes), _mm512_set1_epi8(value));
#elif defined(__AVX2__)
  if (count >= 64) {
    __m256i low = _mm256_loadu_si256((const void *)codes), high = _mm256_loadu_si256((const void *)(codes + 32));
    __m256i all = _mm256_set1_epi8(value);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)) << 32;
  }
#endif
  uint64_t mask = 0;
  for (size_t t = 0; t < count && t < 64; t++) mask |= (uint64_t)(codes[t] == value) << t;
  return mask;
}

/* The bits of `bits` at the ones of `mask`, moved together. */
static inline uint64_t extract(uint64_t bits, uint64_t mask) {
#if defined(__BMI2__)
  return _pext_u64(bits, mask);
#else
  uint64_t moved = 0;
  for (int place = 0; mask; mask &= mask - 1, place++) moved |= (uint64_t)((bits & mask & -mask) != 0) << place;
  return moved;
#endif
}

/* One bitmap a value but the last, rows ordered by class; a cell is the number of ones in an AND, the rest is
 * subtraction. At most 255 classes. */
void pairs_by_bitmaps(const uint8_t *x, const uint8_t *y, size_t rows, size_t n, size_t r, size_t s, uint32_t *tables) {
  size_t of_class[256] = {0}, offset[257] = {0}, place[256] = {0}, cells = s * r * r, stored = r - 1;
  uint64_t class_rows[256];
  memset(tables, 0, n * (n - 1) / 2 * cells * sizeof *tables);
  for (size_t t = 0; t < rows; t++) of_class[y[t]]++;
  for (size_t c = 0; c < s; c++) offset[c + 1] = offset[c] + (of_class[c] + 511) / 512 * 8;
  size_t width = offset[s];
  uint64_t *maps = calloc(n * stored * width + 1, sizeof *maps);
  uint32_t *margin = calloc(n * s * r, sizeof *margin);
  for (size_t t = 0; t < rows; t += 64) {
    for (size_t c = 0; c < s; c++) class_rows[c] = rows_with(y + t, rows - t, c);
    for (size_t i = 0; i < n; i++)
      for (size_t a = 0; a < stored; a++) {
        uint64_t ones = rows_with(x + i * rows + t, rows - t, a), *map = maps + (i * stored + a) * width;
        for (size_t c = 0; c < s; c++) {
          uint64_t bits = extract(ones, class_rows[c]), *word = map + offset[c] + place[c] / 64;
          int shift = place[c] % 64;
          word[0] |= bits << shift;
          if (shift) word[1] |= bits >> (64 - shift);
        }
      }
    for (size_t c = 0; c < s; c++) place[c] += __builtin_popcountll(class_rows[c]);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < s; c++) {
      uint32_t *row = margin + (i * s + c) * r;
      row[stored] = of_class[c];
      for (size_t a = 0; a < stored; a++) {
        const uint64_t *map = maps + (i * stored + a) * width;
        for (size_t u = offset[c]; u < offset[c + 1]; u++) row[a] += __builtin_popcountll(map[u]);
        row[stored] -= row[a];
      }
    }
  size_t tile = n * stored > 0 ? TILE_BYTES / (n * stored * 8) / 8 * 8 : 8;
  if (tile < 8) tile = 8;
  for (size_t c = 0; c < s; c++)
    for (size_t start = offset[c]; start < offset[c + 1]; start += tile) {
      size_t end = start + tile < offset[c + 1] ? start + tile : offset[c + 1];
      uint32_t *table = tables + c * r * r;
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++, table += cells)
          for (size_t a = 0; a < stored; a++)
            for (size_t b = 0; b < stored; b++) {
              const uint64_t *left = maps + (i * stored + a) * width, *right = maps + (j * stored + b) * width;
              uint64_t count = 0;
              for (size_t u = start; u < end; u++) count += __builtin_popcountll(left[u] & right[u]);
              table[a * r + b] += count;
            }
    }
  uint32_t *table = tables;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      for (size_t c = 0; c < s; c++, table += r * r) {
        const uint32_t *of_left = margin + (i * s + c) * r, *of_right = margin + (j * s + c) * r;
        for (size_t a = 0; a < stored; a++) {
          table[a * r + stored] = of_left[a];
          for (size_t b = 0; b < stored; b++) table[a * r + stored] -= table[a * r + b];
        }
        for (size_t b = 0; b < r; b++) {
          table[stored * r + b] = of_right[b];
          for (size_t a = 0; a < stored; a++) table[stored * r + b] -= table[a * r + b];
        }
      }
  free(margin);
  free(maps);
}
