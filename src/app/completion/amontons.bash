# Completion of the command amontons for bash. The command itself says what may stand where.
_amontons() {
    local cur=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT} words answer
    COMPREPLY=()
    read -ra words <<<"$line" # as typed: bash would split at =
    [[ $line == *[[:space:]] ]] && words+=('')
    while IFS= read -r answer; do
        case $answer in
        @studies)
            compopt -o filenames 2>/dev/null
            while IFS= read -r answer; do
                [[ -d $answer || $answer == *.yaml || $answer == *.yml ]] && COMPREPLY+=("$answer")
            done < <(compgen -f -- "$cur")
            ;;
        @files)
            compopt -o filenames 2>/dev/null
            while IFS= read -r answer; do COMPREPLY+=("$answer"); done < <(compgen -f -- "$cur")
            ;;
        @folders)
            compopt -o filenames 2>/dev/null
            while IFS= read -r answer; do COMPREPLY+=("$answer"); done < <(compgen -d -- "$cur")
            ;;
        *)
            [[ $answer == *= ]] && compopt -o nospace 2>/dev/null
            COMPREPLY+=("$answer")
            ;;
        esac
    done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _amontons amontons
