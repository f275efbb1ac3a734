import { useEffect, useRef, useState } from 'preact/hooks'
import { readNamedColumns, suggestedColumns } from '../../src/shared/named-columns'
import { messageOf } from '../app/change'
import { client, useQuery } from '../app/client'
import { datasetNameOf, systemNamesOf } from '../app/file-names'
import { followJob, startJob } from '../app/jobs'
import { href, Link, navigate, useSetting } from '../app/router'
import { compute, type Stage, StageBar, useMayChange } from '../components/compute'
import { Awaited, NotFound } from '../components/states'
import { DropField, type FileFailure, RefusedFile, Sent, uploadFile } from '../components/upload'
import {
  HomeDocument,
  ImportArtefactDocument,
  ImportBoundDocument,
  ImportBoxesDocument,
  ImportCaptionsDocument,
  ImportDescriptionsDocument,
  ImportJudgementsDocument,
  ImportObjectsDocument,
  ImportResultsDocument,
  ImportVocabularyDocument,
  ImportWordScoresDocument,
  RecognizedFileDocument,
  type StartedFragment,
  type TypedDocumentString,
} from '../generated/documents'
import type { ImageMatch } from '../generated/types'

/** A kind of file: what it is, and which names belong to it. */
interface Kind {
  readonly title: string
  readonly needs: 'dataset' | 'system' | 'new' | 'nothing'
  readonly document: { toString(): string }
}

/** In the order in which the files of a drop are imported: each is of use to those after it. */
const KINDS = {
  captions: { title: 'captions of people', needs: 'new', document: ImportCaptionsDocument },
  boxes: { title: 'boxes of objects', needs: 'new', document: ImportBoxesDocument },
  objects: { title: 'objects of images', needs: 'dataset', document: ImportObjectsDocument },
  judgements: { title: 'ratings of captions', needs: 'new', document: ImportJudgementsDocument },
  vocabulary: { title: 'a vocabulary', needs: 'dataset', document: ImportVocabularyDocument },
  results: { title: 'captions of a system', needs: 'system', document: ImportResultsDocument },
  scores: { title: 'word scores of a system', needs: 'system', document: ImportWordScoresDocument },
  descriptions: {
    title: 'boxes that a system mentions',
    needs: 'system',
    document: ImportDescriptionsDocument,
  },
  artefact: { title: 'a trained metric', needs: 'nothing', document: ImportArtefactDocument },
  bound: { title: 'a trained upper bound', needs: 'dataset', document: ImportBoundDocument },
} as const satisfies Readonly<Record<string, Kind>>

type KindName = keyof typeof KINDS

/** What the server calls the kinds that it recognizes. */
const RECOGNIZED: Readonly<Record<string, KindName>> = {
  CAPTIONS: 'captions',
  RESULTS: 'results',
  WORD_SCORES: 'scores',
  BOXES: 'boxes',
  OBJECTS: 'objects',
  DESCRIPTIONS: 'descriptions',
  JUDGEMENTS: 'judgements',
  VOCABULARY: 'vocabulary',
}

/** A file that was dropped. */
interface Item {
  readonly key: number
  readonly file: File
  /** How much of it was sent, 0 to 1. */
  readonly sent: number
  readonly upload?: string
  readonly kind?: KindName
  /** Name of the format of captions. */
  readonly format?: string | null
  /** Name of its system, where the viewer has chosen one. */
  readonly system?: string
  readonly isImported?: boolean
  /** Whether images without a caption, and captions of other images, are accepted. */
  readonly isPartial?: boolean
  /** What the file calls images and captions, as `image=pic,caption=said`; the rule by which it names images. */
  readonly columns?: string
  readonly match?: ImageMatch
  readonly failure?: FileFailure & { readonly code?: string }
}

/** Files are dropped here: each is recognized, imported and measured, up to the page with the answer. */
export default function Import() {
  const answer = useQuery(HomeDocument, {})
  const mayChange = useMayChange()
  return (
    <>
      <h1>Which system is better, and where does it fail?</h1>
      <p class="lede">
        Drop the captions of people and those of one or several systems, all at once: COCO’s JSON, JSON by
        image, CSV, or another common format, compressed or not. Everything is measured by itself.
      </p>
      <Awaited answer={answer} height={400}>
        {({ datasets }) =>
          mayChange ? (
            <Form datasets={(datasets?.nodes ?? []).map(({ name }) => name)} />
          ) : (
            <NotFound title="Hosts of this server import files.">
              What is here can be read by everybody, and challenges take captions of teams.{' '}
              <Link to={href('challenges')}>Challenges</Link>, <Link to={href('sign-in')}>sign in</Link>
            </NotFound>
          )
        }
      </Awaited>
    </>
  )
}

/** What stands at a file: the number distinguishes two of the same name. */
let lastKey = 0

function Form({ datasets }: { readonly datasets: readonly string[] }) {
  const [wanted] = useSetting('kind', '')
  const [chosen] = useSetting('dataset', '')
  const [items, setItems] = useState<readonly Item[]>([])
  const [dataset, setDataset] = useState<string>()
  const [stage, setStage] = useState<Stage>()
  const [failure, setFailure] = useState<FileFailure>()
  /** What is written while files are sent and imported is read by what runs at the same time. */
  const current = useRef(items)
  const update = (next: readonly Item[]) => {
    current.current = next
    setItems(next)
  }
  const change = (key: number, with_: Partial<Item>) =>
    update(current.current.map((item) => (item.key === key ? { ...item, ...with_ } : item)))
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({ key: ++lastKey, file, sent: 0 }))
    update([...current.current, ...added])
    void sendAll(added, change, wanted in KINDS ? (wanted as KindName) : undefined)
  }
  const names = namesOf(items)
  const people = items.find(({ kind }) => kind === 'captions')
  const name = dataset ?? (people ? datasetNameOf(people.file.name) : chosen || (datasets[0] ?? ''))
  const problem = problemOf(items, name)
  const run = async () => {
    setFailure(undefined)
    try {
      const all = current.current
      const names = namesOf(all)
      const order = Object.keys(KINDS)
      const open = all
        .filter(({ isImported }) => !isImported)
        .sort((a, b) => order.indexOf(a.kind as string) - order.indexOf(b.kind as string))
      for (const [index, item] of open.entries()) {
        const at = (share: number) => (index + share) / (2 * open.length)
        const text = `Importing ${item.file.name}`
        await importItem(item, { dataset: name, system: names.get(item.key) ?? '' }, change, (share) =>
          setStage({ share: at(share), text }),
        )
      }
      const systems = all.flatMap(({ key, kind }) => (kind === 'results' ? [names.get(key) ?? ''] : []))
      if (systems.length > 0 || people) {
        await compute({ dataset: name, systems }, ({ share, text }) =>
          setStage({ share: 0.5 + share / 2, text }),
        )
      }
      navigate(answerOf(name, systems, all))
    } catch (error) {
      // What is wrong with a file stands beside it.
      if (!(error instanceof RefusedItem)) setFailure(error as Error)
    } finally {
      setStage(undefined)
    }
  }
  return (
    <form
      class="import"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <DropField isMultiple choose={add} />
      {items.length > 0 && (
        <ul class="files">
          {items.map((item) => (
            <Dropped
              key={item.key}
              item={item}
              system={names.get(item.key) ?? ''}
              change={(with_) => change(item.key, with_)}
              share={() => {
                change(item.key, { isPartial: true })
                void run()
              }}
              remove={() => update(items.filter(({ key }) => key !== item.key))}
            />
          ))}
        </ul>
      )}
      {items.length > 0 && (
        <>
          <label>
            {people ? 'Name of the new dataset' : 'Dataset'}{' '}
            <input
              list="datasets"
              value={name}
              onInput={({ currentTarget }) => setDataset(currentTarget.value)}
              required
            />
            <datalist id="datasets">
              {datasets.map((known) => (
                <option key={known} value={known} />
              ))}
            </datalist>
          </label>
          {problem && <p class="note">{problem}</p>}
          <button type="submit" class="primary" disabled={problem !== undefined || stage !== undefined}>
            Import and measure
          </button>
        </>
      )}
      {stage && <StageBar stage={stage} />}
      {failure && <RefusedFile failure={failure} />}
    </form>
  )
}

/** What has to be done before files can be imported. */
function problemOf(items: readonly Item[], dataset: string): string | undefined {
  if (items.some(({ upload, failure }) => !upload && !failure)) return 'The files are still being sent.'
  if (items.some(({ upload }) => !upload)) return 'Remove what could not be sent.'
  const unknown = items.find(({ kind }) => !kind)
  if (unknown) return `Say what ${unknown.file.name} holds.`
  if (items.filter(({ kind }) => kind === 'captions').length > 1)
    return 'Two files hold captions of people, and a dataset is made of one. Say which of them is of a system, or remove one.'
  return dataset === '' ? 'Name the dataset.' : undefined
}

/** The systems of the files that need one. */
function namesOf(items: readonly Item[]): ReadonlyMap<number, string> {
  const ofSystems = items.filter(({ kind }) => kind && KINDS[kind].needs === 'system')
  const captions = items.find(({ kind }) => kind === 'captions')?.file.name
  const names = systemNamesOf(
    ofSystems.map(({ file }) => file.name),
    captions,
  )
  return new Map(ofSystems.map(({ key, system }, index) => [key, system ?? names[index]]))
}

/** The page that answers what files were dropped for. */
function answerOf(dataset: string, systems: readonly string[], items: readonly Item[]): string {
  if (systems.length === 2) return href('d', dataset, 'compare', systems[0], systems[1])
  if (systems.length === 1) return href('d', dataset, 'systems', systems[0])
  if (items.some(({ kind }) => kind === 'captions') && systems.length === 0)
    return href('d', dataset, 'agreement')
  return items.every(({ kind }) => kind === 'judgements') ? href('metrics') : href('d', dataset)
}

type Change = (key: number, with_: Partial<Item>) => void

/** Sends files one after the other, and asks what each holds. */
async function sendAll(items: readonly Item[], change: Change, wanted: KindName | undefined): Promise<void> {
  for (const { key, file } of items) {
    try {
      const { id: upload } = await uploadFile(file, (sent) => change(key, { sent }))
      const { data, error } = await client.query(RecognizedFileDocument.toString(), { upload }).toPromise()
      const { content, formatName: format = null } = data?.recognizedFile ?? {}
      change(key, {
        upload,
        sent: 1,
        format,
        kind: content ? RECOGNIZED[content] : wanted,
        ...(error && { failure: { message: messageOf(error) } }),
      })
    } catch (error) {
      change(key, { failure: { message: (error as Error).message } })
    }
  }
}

/** The reason stands at the file. */
class RefusedItem extends Error {}

async function importItem(
  item: Item,
  { dataset, system }: { readonly dataset: string; readonly system: string },
  change: Change,
  onShare: (share: number) => void,
): Promise<void> {
  const { key, kind, upload, isPartial, match } = item
  const columns = columnsOf(item)
  change(key, { failure: undefined })
  onShare(0)
  const { needs, document } = KINDS[kind as KindName]
  const input = {
    upload,
    ...(needs !== 'nothing' && { dataset }),
    ...(needs === 'system' && { system }),
    ...(isOfCaptions(kind) && columns && { columns: Object.fromEntries(readNamedColumns(columns)) }),
    ...(kind === 'results' && match && { match }),
    ...(isPartial && { isMissingAllowed: true, ...(kind === 'results' && { isExtraAllowed: true }) }),
  }
  try {
    const start = document as unknown as TypedDocumentString<{ result: StartedFragment }, { input: object }>
    await followJob(await startJob(start, { input }), ({ progress }) => onShare(progress))
  } catch (error) {
    change(key, { failure: error as Error })
    throw new RefusedItem()
  }
  change(key, { isImported: true })
}

/** Whether what a file calls images and captions can be said. */
const isOfCaptions = (kind: KindName | undefined) => kind === 'captions' || kind === 'results'

/** What is said of the columns of a file, or suggested by its failure. */
const columnsOf = ({ columns, failure }: Item) => columns ?? suggestedColumns(failure?.message ?? '') ?? ''

/** The rules by which the names of a file are those of images. */
const RULES: Readonly<Record<ImageMatch, string>> = {
  ID: 'id',
  NAME: 'file name',
  STEM: 'file name without folder and extension',
  NUMBER: 'number at the end of the name',
}

/** Failures of files that name other images than the dataset. */
const OTHER_IMAGES = ['MISSING_IMAGES', 'UNKNOWN_IMAGE']

interface DroppedProps {
  readonly item: Item
  readonly system: string
  readonly change: (with_: Partial<Item>) => void
  /** Imports it without the images that only it or only the dataset has. */
  readonly share: () => void
  readonly remove: () => void
}

/** A file: what it holds, of which system, and how far it is. */
function Dropped({ item, system, change, share, remove }: DroppedProps) {
  const { file, sent, upload, kind, format, isImported, failure } = item
  const shown = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (failure) shown.current?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  return (
    <li ref={shown}>
      <p>
        <strong>{file.name}</strong>
        {isImported ? (
          <span class="note"> imported</span>
        ) : (
          <button type="button" class="quiet" onClick={remove} aria-label={`Remove ${file.name}`}>
            remove
          </button>
        )}
      </p>
      {!upload && !failure && <Sent share={sent} />}
      {upload && !isImported && (
        <p class="controls">
          <label>
            holds{' '}
            <select
              value={kind ?? ''}
              onChange={({ currentTarget }) =>
                change({ kind: currentTarget.value as KindName, failure: undefined })
              }
            >
              {!kind && <option value="">nothing that is recognized</option>}
              {Object.entries(KINDS).map(([key, { title }]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {kind && KINDS[kind].needs === 'system' && (
            <label>
              named{' '}
              <input
                value={system}
                onInput={({ currentTarget }) => change({ system: currentTarget.value })}
                required
              />
            </label>
          )}
          {format && <span class="note">{format}</span>}
        </p>
      )}
      {failure && <RefusedFile failure={failure} />}
      {failure && isOfCaptions(kind) && (
        <p class="controls">
          <label>
            columns{' '}
            <input
              value={columnsOf(item)}
              placeholder="image=filepath,caption=title"
              onInput={({ currentTarget }) => change({ columns: currentTarget.value })}
            />
          </label>
          {kind === 'results' && (
            <label>
              images by{' '}
              <select
                value={item.match ?? ''}
                onChange={({ currentTarget }) =>
                  change({ match: (currentTarget.value || undefined) as ImageMatch | undefined })
                }
              >
                <option value="">what finds the most</option>
                {Object.entries(RULES).map(([rule, title]) => (
                  <option key={rule} value={rule}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          )}
        </p>
      )}
      {failure?.code && OTHER_IMAGES.includes(failure.code) && !item.isPartial && (
        <p>
          <button type="button" onClick={share}>
            Measure the images that both have
          </button>
        </p>
      )}
    </li>
  )
}
