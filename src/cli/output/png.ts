import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { AccordError } from '../../errors.js'

/** Where a program reads and writes, and the size of the picture in pixels of a screen; PNG has twice as many. */
interface Drawing {
  readonly svg: string
  readonly png: string
  readonly width: number
  readonly height: number
}

type Arguments = (drawing: Drawing) => string[]

const ofBrowser: Arguments = ({ svg, png, width, height }) => [
  '--headless',
  // A browser refuses to run in its sandbox for root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--hide-scrollbars',
  '--force-device-scale-factor=2',
  `--window-size=${width},${height}`,
  `--screenshot=${png}`,
  svg,
]

/** Programs that draw SVG as PNG, those that do nothing else first. */
const PROGRAMS: readonly (readonly [name: string, args: Arguments])[] = [
  ['rsvg-convert', ({ svg, png }) => ['--zoom=2', `--output=${png}`, svg]],
  ['resvg', ({ svg, png }) => ['--zoom', '2', svg, png]],
  ['inkscape', ({ svg, png }) => [svg, '--export-type=png', `--export-filename=${png}`, '--export-dpi=192']],
  ['chromium', ofBrowser],
  ['chromium-browser', ofBrowser],
  ['google-chrome', ofBrowser],
]

/** Seconds that a program may take. */
const MAX_SECONDS = 60

/** The program of this machine that draws SVG as PNG; undefined without one. */
function findProgram(): { readonly path: string; readonly args: Arguments } | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const [name, args] of PROGRAMS) {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable)
    if (path !== undefined) return { path, args }
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether a program of this machine draws SVG as PNG. */
export const canDrawPng = () => findProgram() !== undefined

/** The names of the programs that would. */
export const PNG_PROGRAMS = PROGRAMS.map(([name]) => name).join(', ')

/**
 * Draws a picture of SVG, which has a width and a height, as PNG with two pixels for one.
 *
 * @throws AccordError RESOURCE_MISSING without a program, or where it fails
 */
export function drawPng(svg: string): Buffer {
  const program = findProgram()
  if (!program) throw notDrawn('PNG', 'none of them')
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(svg)?.[1]),
  )
  const folder = mkdtempSync(join(tmpdir(), 'accord-png-'))
  try {
    const drawing = { svg: join(folder, 'picture.svg'), png: join(folder, 'picture.png'), width, height }
    writeFileSync(drawing.svg, svg)
    const options = { stdio: 'ignore', timeout: 1000 * MAX_SECONDS } as const
    const { status, signal, error } = spawnSync(program.path, program.args(drawing), options)
    if (status !== 0) throw notDrawn(program.path, error?.message ?? `exit status ${status ?? signal}`)
    if (!existsSync(drawing.png)) throw notDrawn(program.path, 'no picture')
    return readFileSync(drawing.png)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function notDrawn(source: string, found: string): AccordError {
  return new AccordError('RESOURCE_MISSING', 'the picture cannot be drawn as PNG', {
    source,
    expected: `one of ${PNG_PROGRAMS} that draws SVG; or write it as SVG`,
    found,
  })
}
