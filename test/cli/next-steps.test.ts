import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { NEXT_STEPS, nameOf } from '../../src/cli/next-steps.js'
import { createProgram } from '../../src/cli/program.js'
import { openAccord } from '../../src/services/open-accord.js'
import { cocoCaptions } from '../kit/coco.js'
import { loadEvaluatedSeed } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'
import { importPark, PARK_RESULTS, workbench } from './kit.js'

/** Commands after which nothing is suggested, and why. */
const WITHOUT_NEXT_STEP: Readonly<Record<string, string>> = {
  verify: 'its output is for a program',
  'artefacts show': 'its output is JSON',
  report: 'the file is what was asked for',
  'challenge export': 'its output is JSON',
  'export captions': 'its output is a file',
  'export results': 'its output is a file',
  'export frequencies': 'its output is a file',
  'export scores': 'its output is a file',
  completion: 'its output is a script',
  complete: 'it is called by a script',
  check: 'nothing is to be done with an intact database',
  serve: 'it ends when it is stopped',
  worker: 'it ends when it is stopped',
  logout: 'the user is done with the server',
  'users role': 'one change of a user follows from no other',
  'users ban': 'one change of a user follows from no other',
  'users unban': 'one change of a user follows from no other',
  'users reset': 'it says what the user does',
  'users log': 'it is read to the end',
}

const commandsBelow = (command: Command): Command[] =>
  command.commands.flatMap((below) => [below, ...commandsBelow(below)])

describe('every command', () => {
  const commands = commandsBelow(createProgram())
  const named = [...Object.keys(NEXT_STEPS), ...Object.keys(WITHOUT_NEXT_STEP)]

  it.each(commands.filter((command) => command.commands.length === 0).map(nameOf))(
    '%s has a next step, or a reason why not',
    (name) => {
      expect(named.filter((one) => one === name)).toHaveLength(1)
    },
  )

  it('is one of the command line', () => {
    expect(commands.map(nameOf)).toEqual(expect.arrayContaining(named))
  })
})

describe('next steps', () => {
  const scenes = workbench()
  const parks = workbench()
  beforeAll(async () => {
    const accord = await openAccord({ location: scenes.path('accord.sqlite') })
    await loadEvaluatedSeed(accord)
    await accord.close()
    await importPark(parks, 'with systems')
    parks.write('mine.json', PARK_RESULTS)
    parks.write('single.json', cocoCaptions({ 1: ['a dog'], 2: ['a man'] }))
  })

  const ON_SCENES = ['challenge audit scenes', 'bounds']
  const MORE = [
    'words --dataset scenes --system good',
    'datasets',
    'systems',
    'leaderboard --metric CIDEr-D',
    'compare --phr',
    'evaluate --system good',
    'judge',
    'selection',
    'atoms',
    'artefacts list',
    'collect list',
    'users list',
  ]
  it.each(isSlow ? [...ON_SCENES, ...MORE] : ON_SCENES)(
    'of `%s` on the bundled dataset succeed, and end',
    (first) => follow(scenes, first),
  )

  it.each([
    'import captions park.json --dataset again --database again.sqlite',
    'import captions single.json --dataset single --database single.sqlite',
    'import results mine.json --dataset park --system mine',
    'systems --dataset park',
    'score park.json mine.json',
    'compare park.json mine.json --people',
    'words park.json mine.json',
    'agreement park.json',
    'backup park.backup',
    'copy --from accord.sqlite --to copy.sqlite',
    'remove system captioner --dataset park',
  ])('of `%s` on files and their datasets succeed, and end', (first) => follow(parks, first))

  it('is not written beside output for programs', async () => {
    for (const format of ['json', 'csv', 'tsv', 'latex', 'markdown'])
      expect((await parks.run(`datasets --format ${format}`)).stderr).toBe('')
  })
})

/** Executes a command and, one after the other, the next steps that a shell can execute at once. */
async function follow({ run }: ReturnType<typeof workbench>, first: string): Promise<void> {
  const seen = new Set<string>()
  for (let command: string | undefined = first; command !== undefined; ) {
    expect(seen, 'a circle of steps').not.toContain(command)
    seen.add(command)
    const { code, stderr } = await run(command)
    expect({ command, code, stderr }).toMatchObject({ code: 0 })
    command = /^Next: accord (.*)\n$/m.exec(stderr)?.[1]
    // A server does not end, and a word in capitals stands for what only the user knows.
    if (command !== undefined && (/^serve\b/.test(command) || / [A-Z]{4,}( |$)/.test(command)))
      command = undefined
  }
}
