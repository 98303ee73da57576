const identifier = /^[a-z_][a-z0-9_]{0,62}$/;

/** A name that may stand in SQL as it is. Schemas and roles are named by us, never by a caller from outside. */
export const sqlName = (name: string): string => {
  if (!identifier.test(name)) throw new Error(`not a name for SQL: ${name}`);
  return name;
};

/**
 * SQL that makes a role, once per server, and lets the present user act as it, so that one login may run everything. Any
 * number may run it at once, in one database and in several. A role that somebody else has made, and does not share, is
 * the login of its service: then the present user need not act as it.
 */
export const ensureRole = (role: string): string => `
DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('causeway roles', 0));
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${sqlName(role)}') THEN
    CREATE ROLE ${role} NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
END $$;
DO $$ BEGIN
  IF NOT pg_has_role(current_user, '${role}', 'SET') THEN
    GRANT ${role} TO CURRENT_USER WITH SET TRUE;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
END $$;`;
