/**
 * A plain Apollo Server on a database of Accord: what the requests of `requests.ts` are compared with. It reads the same
 * rows with prepared statements and DataLoader, and has no limits.
 *
 *     node dist/bench/plain-server.js FILE
 */
process.env.NODE_ENV ??= 'production'
const { ApolloServer } = await import('@apollo/server')
const { startStandaloneServer } = await import('@apollo/server/standalone')
const { default: Database } = await import('better-sqlite3')
const { default: DataLoader } = await import('dataloader')

interface ImageRow {
  readonly id: number
  readonly externalId: string
  readonly fileName: string | null
  readonly url: string | null
  readonly width: number | null
  readonly height: number | null
}

interface CaptionRow {
  readonly imageId: number
  readonly externalId: string
  readonly text: string
}

const typeDefs = `
  type Query { dataset(name: String!): Dataset }
  type Dataset { name: String! images(first: Int!): ImageConnection! }
  type ImageConnection { nodes: [Image!]! }
  type Image {
    id: ID!
    externalId: String!
    fileName: String
    url: String
    width: Int
    height: Int
    captions: [Caption!]!
  }
  type Caption { externalId: String! text: String! }
`

const database = new Database(process.argv[2], { readonly: true })
const findDataset = database.prepare('SELECT id, name FROM dataset WHERE name = ?')
const listImages = database.prepare<[number, number], ImageRow>(
  `SELECT id, external_id AS externalId, file_name AS fileName, url, width, height
   FROM image WHERE dataset_id = ? ORDER BY id LIMIT ?`,
)
const listCaptions = database.prepare<[string], CaptionRow>(
  `SELECT image_id AS imageId, external_id AS externalId, text FROM caption
   WHERE image_id IN (SELECT value FROM json_each(?)) ORDER BY image_id, position`,
)

const createLoader = () =>
  new DataLoader<number, CaptionRow[]>(async (imageIds) => {
    const captions = new Map<number, CaptionRow[]>(imageIds.map((id) => [id, []]))
    for (const caption of listCaptions.all(JSON.stringify(imageIds)))
      captions.get(caption.imageId)?.push(caption)
    return imageIds.map((id) => captions.get(id) ?? [])
  })

interface Context {
  readonly captions: ReturnType<typeof createLoader>
}

const resolvers = {
  Query: { dataset: (_parent: unknown, { name }: { name: string }) => findDataset.get(name) },
  Dataset: {
    images: ({ id }: { id: number }, { first }: { first: number }) => ({ nodes: listImages.all(id, first) }),
  },
  Image: {
    id: ({ id }: ImageRow) => Buffer.from(`Image:${id}`).toString('base64url'),
    captions: ({ id }: ImageRow, _args: unknown, { captions }: Context) => captions.load(id),
  },
}

const { url } = await startStandaloneServer(new ApolloServer<Context>({ typeDefs, resolvers }), {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => ({ captions: createLoader() }),
})
process.stdout.write(`Apollo Server at ${url}\n`)
