import type { MigrationInterface, QueryRunner } from 'typeorm';
import { gatewayRole, ownerRoles, readModelsSchema } from './view.ts';

/** Roles belong to the whole server: another database's migration may make the same one at the same moment. */
const makeRole = (role: string): string => `
  DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('causeway roles', 0));
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
  END $$`;

/** So that a session may run as the role; a superuser may already. One that is its service's login is left alone. */
const letCurrentUserBe = (role: string): string => `
  DO $$ BEGIN
    IF NOT pg_has_role(current_user, '${role}', 'MEMBER') THEN GRANT ${role} TO CURRENT_USER; END IF;
  EXCEPTION WHEN insufficient_privilege THEN
  END $$`;

class ReadModels1760000000001 implements MigrationInterface {
  readonly name = 'ReadModels1760000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const role of [gatewayRole, ...ownerRoles]) {
      await runner.query(makeRole(role));
      await runner.query(letCurrentUserBe(role));
    }
    const roles = [gatewayRole, ...ownerRoles].join(', ');
    await runner.query(`GRANT USAGE ON SCHEMA ${readModelsSchema} TO ${roles}`);
    await runner.query(`GRANT CREATE ON SCHEMA ${readModelsSchema} TO ${ownerRoles.join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`REVOKE ALL ON SCHEMA ${readModelsSchema} FROM ${[gatewayRole, ...ownerRoles].join(', ')}`);
  }
}

/** For `migrate(url, readModelsSchema, readModelsMigrations())`, which every owner runs before it makes a view. */
export const readModelsMigrations = (): readonly (new () => MigrationInterface)[] => [ReadModels1760000000001];
