import { Argument, type Command, type Option } from 'commander'
import { example } from '../options.js'

/** Scripts that let `accord complete` find the words that can follow those of COMP_LINE, and otherwise files. */
const SCRIPTS = {
  bash: "complete -o default -C 'accord complete --' accord\n",
  zsh: "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -C 'accord complete --' accord\n",
  fish: "complete -c accord -a '(COMP_SHELL=fish COMP_LINE=(commandline -cp) accord complete)'\n",
} as const

/** `accord completion`, and `accord complete`, which its scripts run */
export function register(program: Command): void {
  program
    .command('completion')
    .summary('print a script that completes commands and options')
    .description('Print a script for a shell that completes the commands, options and values of Accord.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      example(
        'accord completion bash > ~/.local/share/bash-completion/completions/accord',
        'accord completion zsh >> ~/.zshrc',
        'accord completion fish > ~/.config/fish/completions/accord.fish',
      ),
    )
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell])
    })
  program
    .command('complete', { hidden: true })
    .description('Print the words that can follow those of the variable COMP_LINE.')
    .argument('[words...]')
    .action(async () => {
      const { COMP_LINE = '', COMP_POINT = COMP_LINE.length, COMP_SHELL } = process.env
      for (const { word, description } of await complete(program, COMP_LINE.slice(0, Number(COMP_POINT)))) {
        // Only fish shows descriptions.
        process.stdout.write(COMP_SHELL === 'fish' ? `${word}\t${description}\n` : `${word}\n`)
      }
    })
}

interface Candidate {
  readonly word: string
  readonly description: string
}

/** What the last word of a line can be; none where it can be anything, such as a file. */
async function complete(program: Command, line: string): Promise<Candidate[]> {
  const [, ...words] = line.trimStart().split(/\s+/)
  const last = words.pop() ?? ''
  let command = program
  for (const word of words) command = command.commands.find((sub) => sub.name() === word) ?? command
  const help = command.createHelp()
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const flag = words.findLast((word) => word.startsWith('-'))
  const option = options.find(({ short, long }) => flag !== undefined && [short, long].includes(flag))
  const isValue = option?.variadic || words.at(-1) === flag
  const candidates =
    isValue && (option?.required || option?.optional) && !last.startsWith('-')
      ? toCandidates(/^metrics?$/.test(option.attributeName()) ? await metricNames() : option.argChoices)
      : [
          ...help.visibleCommands(command).map((sub) => ({ word: sub.name(), description: sub.summary() })),
          ...command.registeredArguments.flatMap(({ argChoices }) => toCandidates(argChoices)),
          ...(last.startsWith('-') || isAlone(command) ? options.map(toCandidate) : []),
        ]
  return candidates.filter(({ word }) => word.startsWith(last))
}

/** Whether only options can follow a command. */
function isAlone({ commands, registeredArguments }: Command): boolean {
  return commands.length === 0 && registeredArguments.length === 0
}

function toCandidate({ long, short, description }: Option): Candidate {
  return { word: long ?? short ?? '', description }
}

function toCandidates(choices: readonly string[] = []): Candidate[] {
  return choices.map((word) => ({ word, description: '' }))
}

async function metricNames(): Promise<string[]> {
  const { listMetricNames } = await import('../../services/evaluations/metric-names.js')
  return listMetricNames()
}
