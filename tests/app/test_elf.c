/* Everything that was built: which folders its libraries are looked for in, and which memory it may write and run. With
 * the name of a folder, everything in that folder (tests/whole/test_install.sh: what was installed). */
#include <dirent.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "errors.h"

typedef struct image {
    const char *path;
    unsigned char *bytes;
    size_t size;
} image;

static int faults, files, commands, libraries;

static void fault(const image *i, const char *what, const char *more) {
    print_error("%s: %s%s\n", i->path, what, more);
    faults++;
}

/* ---- one entry of a search path ---- */

static bool others_can_write(const char *folder) {
    struct stat info;
    return stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* NULL: libraries may be looked for there. */
static const char *wrong_with(const char *entry) {
    if (*entry == '\0')
        return "an empty entry in the search path: the current folder";
    if (strcmp(entry, "$ORIGIN") == 0 || strncmp(entry, "$ORIGIN/", 8) == 0)
        return NULL;
    if (*entry != '/')
        return "a relative entry in the search path: ";
    return others_can_write(entry) ? "an entry of the search path that others can write, or make: " : NULL;
}

static void check_search_path(const image *i, const char *path) {
    char *entries = strdup(path), *at = entries;
    assert_non_null(entries);
    for (char *end = at; end; at = end + 1) {
        end = strchr(at, ':');
        if (end)
            *end = '\0';
        const char *wrong = wrong_with(at);
        if (wrong)
            fault(i, wrong, at);
        if (!end)
            break;
    }
    free(entries);
}

/* ---- one file ---- */

static const Elf64_Phdr *segment(const image *i, const Elf64_Ehdr *head, unsigned type) {
    const Elf64_Phdr *all = (const Elf64_Phdr *)(i->bytes + head->e_phoff);
    for (unsigned k = 0; k < head->e_phnum; k++)
        if (all[k].p_type == type)
            return &all[k];
    return NULL;
}

/* From an address in memory to its place in the file. */
static const char *at_address(const image *i, const Elf64_Ehdr *head, Elf64_Addr address) {
    const Elf64_Phdr *all = (const Elf64_Phdr *)(i->bytes + head->e_phoff);
    for (unsigned k = 0; k < head->e_phnum; k++)
        if (all[k].p_type == PT_LOAD && address >= all[k].p_vaddr && address < all[k].p_vaddr + all[k].p_filesz)
            return (const char *)i->bytes + all[k].p_offset + (address - all[k].p_vaddr);
    return NULL;
}

static void check_dynamic(const image *i, const Elf64_Ehdr *head) {
    const Elf64_Phdr *dynamic = segment(i, head, PT_DYNAMIC);
    const char *strings = NULL;
    bool now = false, moves_code = false;
    if (!dynamic) {
        fault(i, "not a position-independent program of shared libraries", "");
        return;
    }
    const Elf64_Dyn *entry = (const Elf64_Dyn *)(i->bytes + dynamic->p_offset);
    size_t count = dynamic->p_filesz / sizeof *entry;
    for (size_t k = 0; k < count && entry[k].d_tag != DT_NULL; k++) {
        if (entry[k].d_tag == DT_STRTAB)
            strings = at_address(i, head, entry[k].d_un.d_ptr);
        now = now || entry[k].d_tag == DT_BIND_NOW ||
              (entry[k].d_tag == DT_FLAGS && entry[k].d_un.d_val & DF_BIND_NOW) ||
              (entry[k].d_tag == DT_FLAGS_1 && entry[k].d_un.d_val & DF_1_NOW);
        moves_code = moves_code || entry[k].d_tag == DT_TEXTREL;
    }
    assert_non_null(strings);
    for (size_t k = 0; k < count && entry[k].d_tag != DT_NULL; k++)
        if (entry[k].d_tag == DT_RPATH || entry[k].d_tag == DT_RUNPATH)
            check_search_path(i, strings + entry[k].d_un.d_val);
    if (!now)
        fault(i, "addresses of functions stay writable (not linked with -z now)", "");
    if (moves_code)
        fault(i, "its code is changed while it is loaded", "");
}

static void check_memory(const image *i, const Elf64_Ehdr *head) {
    const Elf64_Phdr *all = (const Elf64_Phdr *)(i->bytes + head->e_phoff), *stack = segment(i, head, PT_GNU_STACK);
    if (!stack || stack->p_flags & PF_X)
        fault(i, "its stack may hold code", "");
    if (!segment(i, head, PT_GNU_RELRO))
        fault(i, "what the loader fills in stays writable (not linked with -z relro)", "");
    for (unsigned k = 0; k < head->e_phnum; k++)
        if (all[k].p_type == PT_LOAD && all[k].p_flags & PF_W && all[k].p_flags & PF_X)
            fault(i, "memory that can be written and run", "");
}

static void check_image(const image *i) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)i->bytes;
    if (i->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_type == ET_REL)
        return;
    assert_int_equal(head->e_ident[EI_CLASS], ELFCLASS64);
    assert_true(head->e_phoff + head->e_phnum * sizeof(Elf64_Phdr) <= i->size);
    const char *name = strrchr(i->path, '/') + 1;
    files++;
    commands += strcmp(name, "amontons") == 0;
    libraries += strncmp(name, "libamontons.so", 14) == 0;
    if (head->e_type != ET_DYN)
        fault(i, "its addresses are known beforehand (not linked with -pie)", "");
    check_memory(i, head);
    check_dynamic(i, head);
}

/* ---- all files ---- */

static void check_file(const char *path, size_t size) {
    image i = {.path = path, .size = size};
    FILE *file = fopen(path, "rb");
    char magic[SELFMAG] = "";
    if (file && fread(magic, 1, SELFMAG, file) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0) {
        rewind(file);
        i.bytes = malloc(size + 1);
        assert_non_null(i.bytes);
        assert_int_equal(fread(i.bytes, 1, size, file), size);
        i.bytes[size] = 0;
        check_image(&i);
        free(i.bytes);
    }
    if (file)
        fclose(file);
}

/* CMake's own trials are not ours, nor are the programs of users that tests make. */
static bool is_foreign(const char *name) {
    return name[0] == '.' || strcmp(name, "CMakeFiles") == 0 || strcmp(name, "install test") == 0 ||
           strncmp(name, "test_scratch-", 13) == 0;
}

static void check_folder(const char *folder) {
    DIR *inside = opendir(folder);
    if (!inside)
        return; /* it was another test's, and is gone */
    for (struct dirent *entry; (entry = readdir(inside));) {
        char path[4096];
        struct stat info;
        if (is_foreign(entry->d_name) ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path || lstat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            check_folder(path);
        else if (S_ISREG(info.st_mode))
            check_file(path, (size_t)info.st_size);
    }
    closedir(inside);
}

static const char *folder = AMONTONS_BINARY_DIR;

static void libraries_are_looked_for_in_safe_places_and_no_memory_is_written_and_run(void **state) {
    (void)state;
    check_folder(folder);
    print_message("%d programs and libraries\n", files);
    assert_int_equal(faults, 0);
    assert_true(libraries > 0 && files > 1);
#ifdef AMONTONS_COMMAND
    assert_true(commands > 0);
#endif
}

static void bad_search_paths_are_noticed(void **state) {
    (void)state;
    assert_non_null(wrong_with(""));
    assert_non_null(wrong_with("."));
    assert_non_null(wrong_with("lib"));
    assert_non_null(wrong_with("/tmp"));
    assert_non_null(wrong_with("/no/such/folder"));
    assert_non_null(wrong_with("$ORIGINAL"));
    assert_null(wrong_with("$ORIGIN"));
    assert_null(wrong_with("$ORIGIN/../lib"));
    assert_null(wrong_with("/usr/lib"));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_looked_for_in_safe_places_and_no_memory_is_written_and_run),
        cmocka_unit_test(bad_search_paths_are_noticed),
    };
    if (argc > 1)
        folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
