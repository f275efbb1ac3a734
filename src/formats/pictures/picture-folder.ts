import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { AccordError } from '../../errors.js'
import { nearestFile } from '../../system-errors.js'

/** Content types of pictures, by the ends of the names of their files. */
const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

/** The pictures of a folder. */
export interface PictureFolder {
  /** Absolute, without links. */
  readonly path: string
  /** Paths of the pictures in it and in its subfolders, with slashes, in order. */
  readonly names: readonly string[]
  /** The folder and its subfolders with the times in milliseconds when an entry of them last changed. */
  readonly changedAt: ReadonlyMap<string, number>
}

/** An open picture. Whoever opened it closes it. */
export interface OpenPicture {
  readonly file: FileHandle
  readonly bytes: number
  /** When it last changed, in milliseconds since 1970. */
  readonly changedAt: number
  /** Content type. */
  readonly type: string
}

/** The absolute path of a folder of pictures. @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE for what is no folder */
export async function requireFolder(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new AccordError('FILE_NOT_FOUND', 'the folder of pictures cannot be read', {
      source: path,
      expected: 'a folder of pictures',
      found: error.code,
      suggestion: nearestFile(path),
    })
  })
  if (found.isDirectory()) return realpath(path)
  throw new AccordError('INVALID_SHAPE', 'the pictures are in no folder', {
    source: path,
    expected: 'a folder of pictures',
    found: 'a file',
  })
}

/**
 * Lists the pictures of a folder and of its subfolders. Links to folders are not followed, nor those that lead to files outside.
 */
export async function listPictures(folder: string): Promise<PictureFolder> {
  const path = await requireFolder(folder)
  const names: string[] = []
  const changedAt = new Map<string, number>()
  const waiting = [path]
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    changedAt.set(current, await changeTimeOf(current))
    // A subfolder that cannot be read has no pictures.
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const file = join(current, entry.name)
      if (entry.isDirectory()) waiting.push(file)
      else if (isPicture(entry.name) && (entry.isFile() || (await leadsInside(path, file))))
        names.push(relative(path, file).replaceAll(sep, '/'))
    }
  }
  return { path, names: names.sort(), changedAt }
}

/** Whether entries of a folder or of its subfolders were added, renamed or removed since it was listed. */
export async function hasChanged({ changedAt }: PictureFolder): Promise<boolean> {
  for (const [folder, time] of changedAt) if ((await changeTimeOf(folder)) !== time) return true
  return false
}

/** Opens a picture of a folder. @returns null where it is gone, or leads outside the folder */
export async function openPicture({ path }: PictureFolder, name: string): Promise<OpenPicture | null> {
  const target = await realpath(join(path, name)).catch(() => null)
  if (target === null || !target.startsWith(path + sep) || !isPicture(target)) return null
  const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null)
  if (file === null) return null
  const stats = await file.stat()
  if (stats.isFile()) {
    const type = TYPES[extname(target).toLowerCase()]
    return { file, bytes: stats.size, changedAt: stats.mtimeMs, type }
  }
  await file.close()
  return null
}

function isPicture(name: string): boolean {
  return extname(name).toLowerCase() in TYPES
}

async function leadsInside(folder: string, link: string): Promise<boolean> {
  const target = await realpath(link).catch(() => '')
  return target.startsWith(folder + sep) && (await stat(target)).isFile()
}

/** 0 for a folder that is gone. */
async function changeTimeOf(folder: string): Promise<number> {
  return stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
