import type { MigrationInterface, QueryRunner } from 'typeorm';

export type Migration = new () => MigrationInterface;

/** Those of a schema run by the time in milliseconds that their names end in. There is no way back but a later one. */
export const migration = (name: string, up: string): Migration =>
  class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(up);
    }

    async down(): Promise<never> {
      throw new Error(`${name} is not undone`);
    }
  };
