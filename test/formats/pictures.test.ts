import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasChanged, listPictures, openPicture } from '../../src/formats/pictures/picture-folder.js'

const base = mkdtempSync(join(tmpdir(), 'accord-pictures-'))
const folder = join(base, 'pictures')

beforeAll(() => {
  mkdirSync(join(folder, 'val2014'), { recursive: true })
  mkdirSync(join(base, 'pictures-secret'))
  writeFileSync(join(folder, 'b.JPG'), 'B')
  writeFileSync(join(folder, 'notes.txt'), 'no picture')
  writeFileSync(join(folder, 'val2014', 'a.png'), 'A')
  writeFileSync(join(base, 'pictures-secret', 'c.png'), 'C')
  symlinkSync(join(base, 'pictures-secret'), join(folder, 'away'))
  symlinkSync(join(base, 'pictures-secret', 'c.png'), join(folder, 'c.png'))
  symlinkSync(join(folder, 'b.JPG'), join(folder, 'd.jpg'))
  symlinkSync(join(folder, 'notes.txt'), join(folder, 'e.jpg'))
  symlinkSync(join(folder, 'gone.jpg'), join(folder, 'f.jpg'))
})
afterAll(() => rmSync(base, { recursive: true }))

it('lists the pictures of a folder and its subfolders, without what links lead to outside', async () => {
  const { names } = await listPictures(folder)
  expect(names).toEqual(['b.JPG', 'd.jpg', 'e.jpg', 'val2014/a.png'])
})

it('opens no file outside the folder, and none that is no picture', async () => {
  const pictures = await listPictures(folder)
  const typeOf = async (name: string) => {
    const picture = await openPicture(pictures, name)
    await picture?.file.close()
    return picture && [picture.type, picture.bytes]
  }
  expect(await typeOf('b.JPG')).toEqual(['image/jpeg', 1])
  expect(await typeOf('d.jpg')).toEqual(['image/jpeg', 1])
  for (const name of [
    ...['c.png', 'e.jpg', 'f.jpg', 'away/c.png', 'notes.txt', 'none.png', 'val2014'],
    ...['../pictures-secret/c.png', join(base, 'pictures-secret', 'c.png'), ''],
  ])
    expect([name, await typeOf(name)]).toEqual([name, null])
})

it('tells when a picture was added, also to a subfolder', async () => {
  const pictures = await listPictures(folder)
  expect(await hasChanged(pictures)).toBe(false)
  writeFileSync(join(folder, 'val2014', 'z.webp'), '')
  expect(await hasChanged(pictures)).toBe(true)
})

it.each([
  ['nowhere', 'FILE_NOT_FOUND'],
  ['pictures/b.JPG', 'INVALID_SHAPE'],
])('refuses %s as a folder: %s', async (path, code) => {
  await expect(listPictures(join(base, path))).rejects.toMatchObject({ code })
})
