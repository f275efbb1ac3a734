import { expect, it } from 'vitest'
import { importPark, workbench } from './kit.js'

const bench = workbench()
const { run, write } = bench

it('imports annotated objects of images, and says what is left out or of no category', async () => {
  await importPark(bench, 'without systems')
  write('objects.csv', 'image_id,objects\n1,dog|unicorn\n2,dog|bird|griffin\n99,cat\n')
  expect(await run('import objects objects.csv --dataset park')).toMatchObject({
    code: 0,
    stdout: `Imported objects into dataset park
  images    2
  objects   5
  excluded  1 image not in the dataset
  note      2 names of none of COCO’s 80 categories, which only open-CHAIR counts: unicorn, griffin
`,
  })
  write('objects.csv', 'image_id,objects\n1,dog\n')
  const again = await run('import objects objects.csv --dataset park')
  expect(again.stdout).toBe('Imported objects into dataset park\n  images    1\n  objects   1\n')
  write('objects.csv', 'image_id,objects\n99,dog\n')
  const { code, stderr } = await run('import objects objects.csv --dataset park')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('objects.csv: no image is in the dataset'),
  })
})
