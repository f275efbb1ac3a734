import { Argument, type Command, type Option } from 'commander'
import { example } from '../options.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `accord completion` */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print a script that completes commands and options')
    .description('Print a script for a shell that completes the commands, options and values of Accord.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      example(
        'accord completion bash > ~/.local/share/bash-completion/completions/accord',
        'accord completion zsh > ~/.zfunc/_accord',
        'accord completion fish > ~/.config/fish/completions/accord.fish',
      ),
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](describeCommands(program)))
    })
}

/** What can follow a command. */
interface CommandWords {
  /** Words after the program, joined by spaces: `import captions`; empty for the program. */
  readonly path: string
  readonly summary: string
  /** Names of subcommands. */
  readonly commands: readonly string[]
  /** Values of its arguments. */
  readonly choices: readonly string[]
  readonly options: readonly OptionWords[]
}

interface OptionWords {
  readonly flags: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

function describeCommands(program: Command, path: readonly string[] = []): CommandWords[] {
  const shared = program.parent ? rootOf(program).options : []
  const options = new Set([...program.options, ...shared])
  return [
    {
      path: path.join(' '),
      summary: program.summary() || program.description(),
      commands: program.commands.map((command) => command.name()),
      choices: program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      options: [...Array.from(options, describeOption), HELP],
    },
    ...program.commands.flatMap((command) => describeCommands(command, [...path, command.name()])),
  ]
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

const HELP: OptionWords = {
  flags: ['-h', '--help'],
  description: 'show the help of a command',
  takesValue: false,
  choices: [],
}

function describeOption({ short, long, description, required, optional, argChoices }: Option): OptionWords {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) => `# bash completion of accord
_accord() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
      ${patternOf(commands)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command $previous" in
${choiceLines(commands)}
  esac
  if [[ -z "$words" ]]; then
    case "$command" in
${wordLines(commands)}
    esac
    ${FILES_COMMENT}
    case "$previous $command" in
      -*) COMPREPLY=($(compgen -f -- "$current")) ;;
      *" "|${groupPattern(commands)}) ;;
      *) [[ "$current" == -* ]] || COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
  fi
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _accord accord
`,
  zsh: (commands) => `#compdef accord
_accord() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" command="" list="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      ${patternOf(commands)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command $previous" in
${choiceLines(commands).replaceAll(' words=', ' list=')}
  esac
  if [[ -z "$list" ]]; then
    case "$command" in
${wordLines(commands).replaceAll(' words=', ' list=')}
    esac
    ${FILES_COMMENT}
    case "$previous $command" in
      -*) _files ;;
      *" "|${groupPattern(commands)}) ;;
      *) [[ "$current" == -* ]] || _files ;;
    esac
  fi
  compadd -- \${=list}
}
if [[ "$funcstack[1]" == _accord ]]; then _accord "$@"; else compdef _accord accord; fi
`,
  fish: (commands) => `# fish completion of accord
function __accord_at
    set -l path
    for word in (commandline -opc)[2..-1]
        set -l longer (string join -- ' ' $path $word)
        if contains -- $longer ${subcommands(commands)
          .map(({ path }) => `'${path}'`)
          .join(' ')}
            set path $path $word
        end
    end
    test "$path" = "$argv[1]"
end
${commands.flatMap((command) => fishLines(command, commands)).join('\n')}
`,
}

const FILES_COMMENT =
  '# Values of options can be files. Arguments can be files unless a subcommand is expected.'

/** A shell pattern of a word, a space, and the path of a command with subcommands. */
function groupPattern(commands: readonly CommandWords[]): string {
  return subcommands(commands)
    .filter(({ commands: names }) => names.length > 0)
    .map(({ path }) => `*" ${path}"`)
    .join('|')
}

function subcommands(commands: readonly CommandWords[]): CommandWords[] {
  return commands.filter(({ path }) => path !== '')
}

/** A shell pattern of all paths of commands. */
function patternOf(commands: readonly CommandWords[]): string {
  return subcommands(commands)
    .map(({ path }) => `"${path}"`)
    .join('|')
}

/** Cases of `command` and the option before the word, with the values of the option. */
function choiceLines(commands: readonly CommandWords[]): string {
  return commands
    .flatMap(({ path, options }) =>
      options
        .filter(({ choices }) => choices.length > 0)
        .map(({ flags, choices }) => {
          const patterns = flags.map((flag) => `"${path} ${flag}"`).join('|')
          return `    ${patterns}) words="${choices.join(' ')}" ;;`
        }),
    )
    .join('\n')
}

/** Cases of `command` with its subcommands and options. */
function wordLines(commands: readonly CommandWords[]): string {
  return commands
    .map(({ path, commands: names, choices, options }) => {
      const words = [...names, ...choices, ...options.flatMap(({ flags }) => flags)]
      return `      "${path}") words="${words.join(' ')}" ;;`
    })
    .join('\n')
}

function fishLines(
  { path, commands: names, choices, options }: CommandWords,
  all: readonly CommandWords[],
): string[] {
  const start = `complete -c accord -n '__accord_at "${path}"'`
  const summaryOf = (name: string) =>
    all.find((command) => command.path === (path === '' ? name : `${path} ${name}`))?.summary ?? ''
  return [
    ...names.map((name) => `${start} -f -a ${name} -d ${quoteForFish(summaryOf(name))}`),
    ...choices.map((choice) => `${start} -f -a ${choice}`),
    ...options.map(({ flags, description, takesValue, choices }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      )
      const values = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : ''
      return `${start} ${names.join(' ')}${values} -d ${quoteForFish(description)}`
    }),
  ]
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
