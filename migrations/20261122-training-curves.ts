import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Loss and τ of the trainings of composite metrics, while they run. */
export class TrainingCurves1795330800000 implements MigrationInterface {
  readonly name = 'TrainingCurves1795330800000'

  async up(runner: QueryRunner): Promise<void> {
    const text = runner.connection.options.type === 'postgres' ? 'text COLLATE "C"' : 'text'
    await runner.query(`CREATE TABLE "training_curve" (
      "job_id" integer NOT NULL,
      "position" integer NOT NULL,
      "network" ${text} NOT NULL,
      "epochs" ${text} NOT NULL,
      CONSTRAINT "FK_27dbfba3059a91d535464deec0f" FOREIGN KEY ("job_id") REFERENCES "job" ("id") ON DELETE CASCADE,
      PRIMARY KEY ("job_id", "position")
    )`)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not taken back: restore the copy that was made before.')
  }
}
