import { existsSync } from 'node:fs'
import { Command, type ErrorOptions, type HelpContext, InvalidArgumentError, type Option } from 'commander'
import { applyConfigFile } from './config-file.js'

/** What commands are called elsewhere. */
const COMMON_NAMES: Readonly<Record<string, string>> = {
  eval: 'evaluate',
  ls: 'datasets',
  list: 'datasets',
  rm: 'remove',
  delete: 'remove',
}

/** A command whose lists may stand before its arguments, and whose options can be set by a configuration file. */
export class AccordCommand extends Command {
  /** Number of words that are neither options nor their values, among those that this command has parsed. */
  private operandCount = 0

  override createCommand(name?: string): AccordCommand {
    return new AccordCommand(name)
  }

  override parseOptions(args: string[]) {
    const words = this.registeredArguments.length === 0 ? args : endLists(this, args, this.givenCount())
    const parsed = super.parseOptions(words)
    this.operandCount = parsed.operands.length
    // The help needs no values. Those of the program itself are set with those of the first command below it.
    const isHelp = parsed.unknown.some((word) => word === '-h' || word === '--help')
    if (this.parent && !isHelp) applyConfigFile(this, this.optsWithGlobals().config)
    return parsed
  }

  /** The help, unless it is asked for of a command that does not exist: `scor --help`, `help scor`. */
  override outputHelp(context?: HelpContext | ((text: string) => string)): void {
    const name = this.args[0] === 'help' ? this.args[1] : this.args[0]
    const isKnown = this.commands.some((command) => command.name() === name)
    // Without the option, the name is refused.
    if (this.commands.length > 0 && name !== undefined && !isFlag(name) && !isKnown)
      this.parse([name], { from: 'user' })
    super.outputHelp(context as HelpContext)
  }

  /** Adds what was probably meant: commands and options have other names in other programs, and arguments other places. */
  override error(message: string, options?: ErrorOptions): never {
    const [line] = message.split('\n')
    const hint = line === message ? this.hintFor(line) : undefined
    return super.error(hint === undefined ? message : `${message}\n(${hint})`, options)
  }

  private hintFor(message: string): string | undefined {
    const [, name] = /^error: unknown command '(.*)'$/.exec(message) ?? []
    if (name !== undefined) return this.hintAtCommand(name)
    const [, format] = /^error: unknown option '--(.*)'$/.exec(message) ?? []
    const formats = this.options.find(({ long }) => long === '--format')?.argChoices
    if (format !== undefined && formats?.includes(format)) return `Did you mean --format ${format}?`
    return message.startsWith('error: too many arguments') ? this.hintAtArguments() : undefined
  }

  private hintAtCommand(name: string): string | undefined {
    const meant = COMMON_NAMES[name]
    if (this.commands.some((command) => command.name() === meant)) return `Did you mean ${meant}?`
    // All commands of the program would be a screen.
    return this.parent ? `One of ${this.commands.map((command) => command.name()).join(', ')}` : undefined
  }

  private hintAtArguments(): string | undefined {
    if (this.commands.length > 0) return this.hintAtCommand(this.args[0])
    const has = (option: string) => this.options.some(({ long }) => long === option)
    if (this.args.some((word) => existsSync(word)))
      return 'Files are read by accord import, score and compare'
    if (has('--system'))
      return 'Systems are named by --system, datasets by --dataset; names with spaces need quotes'
    return has('--dataset') ? 'Datasets are named by --dataset; names with spaces need quotes' : undefined
  }

  /** Number of arguments that were found by the commands above this one: all words but the names of commands. */
  private givenCount(): number {
    let count = 0
    for (let above = this.parent; above; above = above.parent)
      count += (above as AccordCommand).operandCount - 1
    return count
  }
}

/**
 * The words of a command, with each value of a list joined to its option, as `--metrics=METEOR`, so that lists may stand before
 * arguments: `--metrics METEOR CIDEr-D references.json`. A list ends at the next option, at a value that the option refuses, and,
 * unless its values are files themselves, at a file; its last words are arguments where too few are left. A list of files ends
 * after one with commas. Without them it is refused where the command needs no argument and has none: nothing says where it ends.
 *
 * @param args the words from the first option on
 * @param givenCount number of arguments before them
 */
function endLists(command: Command, args: readonly string[], givenCount: number): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const words: Word[] = []
  let list: Option | undefined
  let expectsValue = false
  for (const word of args.slice(0, end)) {
    const option = isFlag(word)
      ? command.options.find(({ short, long }) => [short, long].includes(word))
      : undefined
    if (expectsValue) {
      words[words.length - 1] = { flag: words[words.length - 1].text, text: word, isArgument: false }
      expectsValue = false
      if (list && isWhole(list, word)) list = undefined
    } else if (list && !isFlag(word) && isValue(list, word)) {
      words.push({ flag: list.long as string, text: word, isArgument: false, isTail: true })
    } else {
      list = option?.variadic ? option : undefined
      expectsValue = option?.required === true
      words.push({ text: word, isArgument: !isFlag(word) })
    }
  }
  const required = command.registeredArguments.filter(({ required }) => required).length
  const found = givenCount + words.filter(({ isArgument }) => isArgument).length + args.slice(end + 1).length
  const files = command.options.find(
    (option) => takesFiles(option) && words.some(({ flag, isTail }) => flag === option.long && isTail),
  )
  if (files && required === 0 && found === 0) {
    command.error(
      `error: option '${files.flags}' takes all files up to the next option: write it after the arguments, or its files with commas`,
    )
  }
  giveBack(words, required - found)
  return [...words.flatMap(({ flag, text }) => toWords(flag, text)), ...args.slice(end)]
}

/** A word of a command, with the option that it is a value of. */
interface Word {
  readonly flag?: string
  readonly text: string
  readonly isArgument: boolean
  /** Whether it follows another value of its list. */
  readonly isTail?: true
}

/** Makes the last words of lists arguments. @param count how many arguments are missing */
function giveBack(words: Word[], count: number): void {
  for (let index = words.length - 1, missing = count; index >= 0 && missing > 0; index--) {
    if (!words[index].isTail) continue
    words[index] = { text: words[index].text, isArgument: true }
    missing--
  }
}

function toWords(flag: string | undefined, text: string): string[] {
  if (flag === undefined) return [text]
  return flag.startsWith('--') ? [`${flag}=${text}`] : [flag, text]
}

const isFlag = (word: string) => /^-./.test(word) && !/^-(\d|\.\d)/.test(word)

/** Whether the values of an option are a list of files. */
const takesFiles = ({ variadic, flags }: Option) => variadic && flags.endsWith('<file...>')

/** Whether a value is all files of a list, with commas between them. */
function isWhole(option: Option, word: string): boolean {
  const files: unknown = takesFiles(option) ? option.parseArg?.(word, undefined) : undefined
  return Array.isArray(files) && files.length > 1
}

/** Whether a word belongs to the list of an option: the option accepts it, and it is a file only in a list of files. */
function isValue(option: Option, word: string): boolean {
  if (isFileName(word) && !takesFiles(option)) return false
  try {
    option.parseArg?.(word, undefined)
    return true
  } catch (error) {
    if (error instanceof InvalidArgumentError) return false
    throw error
  }
}

function isFileName(word: string): boolean {
  if (/^\w+:\/\//.test(word)) return false
  return word === '-' || /[\\/]|\.[a-z]\w*$/i.test(word) || existsSync(word)
}
