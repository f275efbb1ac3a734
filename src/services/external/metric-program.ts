import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { AccordError, quote } from '../../errors.js'
import type { ScoreRange } from '../../formats/judgements/metric-scores.js'
import type { Progress } from '../../progress.js'

/** A caption that a program scores. */
export interface ProgramInput {
  readonly image_id: string
  /** File of the image as the dataset names it; null where it names none. */
  readonly image: string | null
  readonly caption: string
  readonly references: readonly string[]
}

export interface ProgramOptions {
  /** A line for the shell. */
  readonly command: string
  /** Time in ms without a score after which the program is ended. */
  readonly silence: number
  /** Of the scores. */
  readonly range: ScoreRange
  readonly progress: Progress
}

/** A longer line cannot be a score. */
const MAX_LINE = 100_000

/**
 * Scores captions by a program: it reads one JSON object per caption from its stdin and writes `{"score": 0.5}` for each to its
 * stdout, in the same order; if it writes `image_id` as well, it must be that of the caption. Its stderr is shown.
 *
 * @throws AccordError INVALID_SHAPE and INVALID_VALUE for another number of lines, another order, no number, an exit
 *   code other than 0; OUT_OF_RANGE for a score outside the range; TIMEOUT for silence. The program and what it started are then ended.
 */
export async function scoreByProgram(
  inputs: readonly ProgramInput[],
  { command, silence, range, progress }: ProgramOptions,
): Promise<Float64Array> {
  const scores = new Float64Array(inputs.length)
  const program = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<string>((resolve, reject) => {
    program.once('error', reject)
    program.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const end = () => {
    try {
      if (program.pid !== undefined) process.kill(-program.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  let failure: AccordError | undefined
  const fail = (error: AccordError) => {
    failure ??= error
    end()
  }
  const timeout = () =>
    fail(
      failed(
        'TIMEOUT',
        'the program is silent',
        `a score within ${silence / 1000} s`,
        `none after ${count} scores`,
      ),
    )
  let count = 0
  let timer = setTimeout(timeout, silence)
  let length = 0
  program.stdout.on('data', (chunk: Buffer) => {
    const last = chunk.lastIndexOf(0x0a)
    length = last < 0 ? length + chunk.length : chunk.length - last
    if (length > MAX_LINE) fail(failed('INVALID_SHAPE', 'the line is too long', 'a score', `${length} bytes`))
  })
  const lines = createInterface({ input: program.stdout })
  lines.on('line', (line) => {
    if (failure) return
    clearTimeout(timer)
    timer = setTimeout(timeout, silence)
    try {
      if (count === inputs.length) {
        throw failed('INVALID_SHAPE', 'the program wrote too much', `${inputs.length} lines`, 'more lines')
      }
      scores[count] = parseScore(line, inputs[count], count + 1, range)
      count++
      progress(count / inputs.length, 'scoring by the program')
    } catch (error) {
      fail(error as AccordError)
    }
  })
  // A program that ends early closes its stdin: what it lacks is told below.
  program.stdin.on('error', () => {})
  Readable.from(inputLines(inputs)).pipe(program.stdin)
  try {
    const status = await ended
    if (failure) throw failure
    if (status !== 'exit code 0') {
      throw failed('INVALID_VALUE', 'the program failed', 'exit code 0', `${status} after ${count} scores`)
    }
    if (count < inputs.length) {
      throw failed('INVALID_SHAPE', 'the program wrote too little', `${inputs.length} lines`, String(count))
    }
    return scores
  } finally {
    clearTimeout(timer)
    end()
  }
}

/** Lines that are written at once. */
const LINES_PER_WRITE = 1000

function* inputLines(inputs: readonly ProgramInput[]): Generator<string> {
  for (let start = 0; start < inputs.length; start += LINES_PER_WRITE) {
    const some = inputs.slice(start, start + LINES_PER_WRITE)
    yield some.map((input) => `${JSON.stringify(input)}\n`).join('')
  }
}

function parseScore(
  line: string,
  { image_id }: ProgramInput,
  number: number,
  { lowest, highest }: ScoreRange,
): number {
  const place = `line ${number}`
  let output: unknown
  try {
    output = JSON.parse(line)
  } catch {
    throw failed('INVALID_SHAPE', 'invalid JSON', '{"score": number}', quote(line), place)
  }
  const { score, image_id: found = image_id } = (output ?? {}) as Record<string, unknown>
  if (String(found) !== image_id) {
    throw failed(
      'INVALID_VALUE',
      'wrong order',
      `the score of image ${quote(image_id)}`,
      quote(String(found)),
      place,
    )
  }
  if (typeof score !== 'number') {
    throw failed('INVALID_VALUE', 'no score', '{"score": number}', quote(line), place)
  }
  if (score >= lowest && score <= highest) return score
  const expected = `a number from ${lowest} to ${highest}, the range of the metric`
  throw failed('OUT_OF_RANGE', 'invalid score', expected, String(score), place)
}

function failed(
  code: 'INVALID_SHAPE' | 'INVALID_VALUE' | 'OUT_OF_RANGE' | 'TIMEOUT',
  summary: string,
  expected: string,
  found: string,
  place?: string,
): AccordError {
  return new AccordError(code, summary, { source: 'metric command', place, expected, found })
}
