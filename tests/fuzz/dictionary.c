/* Prints the words of study files in the format that libFuzzer and AFL++ read. */
#include <stdio.h>

#include "study/schema.h"
#include "vocabulary.h"

int main(void) {
    const fuzz_vocabulary *all = fuzz_words();
    for (size_t i = 0; i < all->kinds; i++)
        printf("\"kind: %s\"\n", all->kind[i]);
    for (size_t i = 0; i < all->fields; i++)
        printf("\"%s: \"\n", all->field[i]->name);
    for (size_t i = 0; i < all->words; i++)
        printf("\"%s\"\n", all->word[i]);
    return 0;
}
