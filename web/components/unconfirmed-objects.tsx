import { counted } from '../../src/shared/numbers'
import { percent } from '../app/format'
import { href } from '../app/router'
import type { UnconfirmedFragment } from '../generated/documents'
import type { Column } from './columns'
import type { Provenance } from './how-computed'
import { ImageGrid } from './picture'
import { Table } from './table'

/** Objects whose first images are shown. */
const SHOWN = 4

interface UnconfirmedObjectsProps {
  readonly dataset: string
  readonly system: string
  readonly objects: readonly UnconfirmedFragment[]
  readonly provenance: Provenance
}

/** Objects that a system mentions and nothing confirms, with images, and how often people say them. */
export function UnconfirmedObjects({ dataset, system, objects, provenance }: UnconfirmedObjectsProps) {
  if (objects.length === 0) return null
  const shown = objects
    .slice(0, SHOWN)
    .flatMap(({ name, images: [image] }) => (image ? [{ name, image }] : []))
  const images = new Map(shown.map(({ image }) => [image.externalId, image]))
  const namesOf = (id: string) =>
    shown.flatMap(({ name, image }) => (image.externalId === id ? [name] : [])).join(', ')
  return (
    <>
      <h2>Objects that {objects[0].isAnnotated ? 'nothing' : 'no person'} confirms</h2>
      <p class="note">
        Of COCO’s 80 categories, the objects that it mentions most often where{' '}
        {objects[0].isAnnotated
          ? 'neither a person does nor the object is annotated'
          : 'no person does; what is there and no one mentions is among them'}
        .
      </p>
      <Table
        label={`Unconfirmed objects of ${system}`}
        columns={columnsOf(dataset)}
        rows={objects}
        provenance={provenance}
      />
      <ImageGrid
        dataset={dataset}
        images={[...images.values()]}
        noteOf={({ externalId }) => namesOf(externalId)}
      />
    </>
  )
}

function columnsOf(dataset: string): readonly Column<UnconfirmedFragment>[] {
  return [
    {
      title: 'object',
      value: ({ name }) => name,
      address: ({ images: [image] }) => image && href('d', dataset, 'images', image.externalId),
    },
    { title: 'mentions', value: ({ mentionCount }) => mentionCount },
    {
      title: 'images',
      value: ({ imageCount }) => imageCount,
      text: ({ imageCount }) => counted(imageCount, 'image'),
    },
    { title: 'share of its captions', value: ({ rate }) => rate, text: ({ rate }) => percent(rate) },
    {
      title: 'share of people’s captions',
      value: ({ humanRate }) => humanRate,
      text: ({ humanRate }) => percent(humanRate),
      class: 'people-text',
    },
  ]
}
