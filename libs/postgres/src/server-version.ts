/** `number`: 170004 for 17.4. */
export type ServerVersion = Readonly<{ number: number; text: string }>;

export const serverVersion = `
  SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`;

/** JSON_SCALAR of the read models came with 17, `GRANT … WITH SET` of the roles with 16. */
const oldest = 170_000;

export const refuseOldServer = ({ number, text }: ServerVersion): void => {
  if (number < oldest) throw new Error(`PostgreSQL 17 or newer is needed, this is ${text}`);
};
