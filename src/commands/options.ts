import { Argument, Option } from 'commander'
import { parseText } from '../config.js'

/** Flags and arguments that several commands take. */

export const datasetOption = () =>
  new Option('--dataset <name>', 'name of the data set (required)').argParser(parseText).makeOptionMandatory()

export const systemOption = () =>
  new Option('--system <name>', 'name of the system, new in the data set (required)')
    .argParser(parseText)
    .makeOptionMandatory()

export const existingSystemOption = () =>
  new Option('--system <name>', 'name of the system (required)').argParser(parseText).makeOptionMandatory()

export const allowMissingOption = () =>
  new Option('--allow-missing', 'keep a system that leaves out images of the data set')

export const nameArgument = (description: string) => new Argument('<name>', description).argParser(parseText)

export const fileArgument = (description: string) => new Argument('<file>', description).argParser(parseText)

/** Help text that shows a command in use. */
export const example = (...lines: readonly string[]) =>
  `\nExample:\n${lines.map((line) => `  ${line}`).join('\n')}`
