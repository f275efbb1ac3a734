import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Objects that are annotated in images, without boxes; a dataset has a hash of those that were imported last. */
export class ImageObjects1795870800000 implements MigrationInterface {
  readonly name = 'ImageObjects1795870800000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    const text = isPostgres ? 'text COLLATE "C"' : 'text'
    await runner.query(`ALTER TABLE "dataset" ADD COLUMN "objects" ${text}`)
    const image = `CONSTRAINT "FK_5ac14b72355cf77b8fd8e8191c3" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE ON UPDATE NO ACTION`
    await runner.query(
      isPostgres
        ? `CREATE TABLE "image_object" ("image_id" integer NOT NULL, "names" ${text} NOT NULL, ${image}, CONSTRAINT "PK_5ac14b72355cf77b8fd8e8191c3" PRIMARY KEY ("image_id"))`
        : `CREATE TABLE "image_object" ("image_id" integer PRIMARY KEY NOT NULL, "names" ${text} NOT NULL, ${image})`,
    )
  }

  async down(): Promise<void> {
    throw new Error('Databases are not migrated back.')
  }
}
