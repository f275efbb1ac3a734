import { expect, it } from 'vitest'
import { workbench } from '../cli/kit.js'
import { cocoCaptions } from '../kit/coco.js'

const { run, write } = workbench()

it('several processes create the same database and import into it', async () => {
  write('pets.json', cocoCaptions({ 1: ['a dog', 'the dog'], 2: ['a cat', 'a dog'] }))
  const names = ['one', 'two', 'three', 'four']
  const outcomes = await Promise.all(names.map((name) => run(`import captions pets.json --dataset ${name}`)))
  expect(outcomes.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0])
  const { stdout } = await run('datasets --format json')
  for (const name of names) expect(stdout).toContain(`"${name}"`)
})
