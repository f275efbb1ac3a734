/**
 * What a file calls its images and captions: keys of JSON, paths of keys (`de.caption`, `resps.0`), columns of a table, or their
 * numbers from 0 where it has no header. `*` in a name stands for any characters: `caption_*` for several captions.
 */
export interface CaptionColumns {
  readonly image?: string
  readonly caption?: string
  /** Human captions, in a file that has those of a system as well. Default: `caption`. */
  readonly references?: string
}

/** The names that are tried in a file, in order of preference. */
export interface ColumnNames {
  readonly image: readonly string[]
  readonly captions: readonly string[]
}

/** Names of the image id in a record or a header, in order of preference. A video or a sound is an image of another name. */
export const IMAGE_NAMES = [
  'image_id',
  'cocoid',
  'img_id',
  'image',
  'video_id',
  'videoID',
  'video',
  'image_name',
  'file_name',
  'filename',
  'youtube_id',
  'image/key',
  'image_file',
  'image_path',
  'img_path',
  'filepath',
  'file_path',
  'audio',
  'audio_id',
  'question_id',
  'id',
  'index',
  'doc_id',
  'uid',
  'key',
] as const

/** Names of a caption, or of a list of captions, of people or of a system. */
export const CAPTION_NAMES = [
  'caption',
  'captions',
  'caption_str',
  'sentences',
  'sentence',
  'raw',
  'comment',
  'enCap',
] as const

/** Further names, of what other programs call captions of both, of people alone, and of systems alone. */
const TEXT_NAMES = [
  'text',
  'description',
  'title',
  'report',
  'paragraph',
  'vlm_caption',
  'IIW',
  'conversations.1.value',
] as const
const PEOPLE_NAMES = ['reference', 'answers', 'answer', 'target'] as const
const NUMBERED_NAMES = ['GT_Caption_*'] as const
const SYSTEM_NAMES = [
  'prediction',
  'predictions',
  'caption_predicted',
  'predicted_caption',
  'generated_caption',
  'pred',
  'hypothesis',
  'candidate',
  'response',
  'output',
  'filtered_resps',
  'answer',
] as const

/** Names of captions of people, in order of preference: they stand beside those of a system in some files. */
const PEOPLE_CAPTION_NAMES: readonly string[] = [
  ...['references', 'refs'],
  ...CAPTION_NAMES,
  ...PEOPLE_NAMES,
  ...TEXT_NAMES,
  ...NUMBERED_NAMES,
]

/** Names of captions of systems, in order of preference. */
const SYSTEM_CAPTION_NAMES: readonly string[] = [...CAPTION_NAMES, ...SYSTEM_NAMES, ...TEXT_NAMES]

/** The names of the images and captions of a file. @param areOfPeople whether the captions that are read are those of people */
export function namesOf(columns: CaptionColumns | undefined, areOfPeople: boolean): ColumnNames {
  const captions = areOfPeople ? (columns?.references ?? columns?.caption) : columns?.caption
  return {
    image: columns?.image === undefined ? IMAGE_NAMES : [columns.image],
    captions:
      captions === undefined ? (areOfPeople ? PEOPLE_CAPTION_NAMES : SYSTEM_CAPTION_NAMES) : [captions],
  }
}

/** Whether a record has an image at a name. A list of the pictures of one image is not its name. */
export function hasImageAt(record: unknown, name: string): boolean {
  const value = valueAt(record, name)
  return value !== undefined && (typeof value !== 'object' || value === null)
}

/** The value of a record at a name: the value of a key, that at the end of a path, or a list of those of several keys. */
export function valueAt(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null) return undefined
  const own = (key: string) =>
    Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined
  const value = own(name)
  if (value !== undefined || !/[.*]/.test(name)) return value
  for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
    const inner = valueAt(own(name.slice(0, end)), name.slice(end + 1))
    if (inner !== undefined) return inner
  }
  if (!name.includes('*')) return undefined
  const several = matching(Object.keys(record), name).flatMap((key) => own(key) ?? [])
  return several.length === 0 ? undefined : several
}

/** Those of some names that are like a name with `*`, or are it in any case; those with numbers in the order of these. */
export function matching(names: readonly string[], wanted: string): string[] {
  const pattern = wanted.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '.*')
  const found = names.filter((name) => new RegExp(`^${pattern}$`, 'i').test(name))
  return found.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}
