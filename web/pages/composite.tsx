import { counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { EXPLORER, useQuery } from '../app/client'
import { time } from '../app/format'
import { href, Link, type Parameters } from '../app/router'
import { Lines } from '../charts/lines'
import { BARE, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { Awaited, NotFound } from '../components/states'
import { CompositeDocument, type CompositeQuery } from '../generated/documents'

type Artefact = NonNullable<CompositeQuery['artefact']>

/** A trained metric: what it was trained on, and how the training went. */
export default function Composite({ name }: Parameters) {
  const variables = { name }
  const answer = useQuery(CompositeDocument, variables)
  return (
    <Awaited answer={answer} height={700}>
      {({ artefact }) =>
        artefact ? (
          <Content artefact={artefact} variables={variables} />
        ) : (
          <NotFound title={`There is no trained metric ${name}.`}>
            <Link to={href('metrics')}>All metrics</Link>
            {EXPLORER && (
              <>
                {' '}
                · <a href="docs/composites.html">How to train one</a>
              </>
            )}
          </NotFound>
        )
      }
    </Awaited>
  )
}

function Content({ artefact, variables }: { readonly artefact: Artefact; readonly variables: object }) {
  const { name, features, trainingData, validationData, epochs, bestEpoch, createdAt, hidden, seed } =
    artefact
  const rows = epochs.map(({ loss, validationAgreement }, index) => ({
    epoch: index + 1,
    loss,
    agreement: validationAgreement,
  }))
  // Epochs are counted from 0 by the API, and from 1 by people.
  const kept = bestEpoch + 1
  const marks = (value: number | null | undefined) =>
    typeof value === 'number' ? [{ name: 'kept', x: kept, y: value, tone: '0' }] : []
  return (
    <>
      <h1>What did {name} learn?</h1>
      <p class="lede">
        A network over {features.map(({ metric, signature }) => metric?.name ?? signature).join(', ')},
        trained on {counted(trainingData.captionCount, 'caption')} of {trainingData.datasetName} on{' '}
        {time(createdAt)}. The epoch that is kept orders {counted(validationData.captionCount, 'caption')} of{' '}
        {validationData.datasetName} best.
      </p>
      <Figure
        title={`Agreement with people by epoch; epoch ${kept} of ${rows.length} is kept`}
        columns={[
          { title: 'epoch', value: ({ epoch }) => epoch },
          { title: 'loss', value: ({ loss }) => loss, text: ({ loss }) => number(loss, 4) },
          ...measured<(typeof rows)[number]>(
            'agreement with people',
            ({ agreement }) => ({ value: agreement }),
            BARE,
          ),
        ]}
        rows={rows}
        notes={['A loss of ln 2 = .693 is that of a metric that knows nothing: the grey line.']}
        provenance={{
          signatures: features.map(({ signature }) => signature),
          command: `accord artefacts show ${shellWord(name)}`,
          query: CompositeDocument,
          variables,
        }}
      >
        <Lines
          label={`Agreement of ${name} with people on ${validationData.datasetName} by epoch`}
          xTitle="epoch"
          yTitle="agreement"
          lines={[
            {
              name: 'agreement',
              tone: '0',
              points: rows.flatMap(({ epoch, agreement }) =>
                agreement === null ? [] : [{ x: epoch, y: agreement }],
              ),
              hasDots: false,
            },
          ]}
          marks={marks(rows[bestEpoch]?.agreement)}
          height={260}
        />
        <Lines
          label={`Loss of the training of ${name}`}
          xTitle="epoch"
          yTitle="loss"
          lines={[
            {
              name: 'loss',
              tone: '0',
              points: rows.map(({ epoch, loss }) => ({ x: epoch, y: loss })),
              hasDots: false,
            },
          ]}
          levels={[{ name: 'ln 2', y: Math.LN2, tone: 'quiet' }]}
          marks={marks(rows[bestEpoch]?.loss)}
          height={260}
        />
      </Figure>
      <p class="note">
        Hidden layers: {hidden.length === 0 ? 'none' : hidden.join(', ')}; seed {seed}.
      </p>
    </>
  )
}
