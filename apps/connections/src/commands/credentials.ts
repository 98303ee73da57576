import type { Credentials } from '@causeway/bank-connectors';
import { openSealed, type SealedCredentials } from '@causeway/contracts';
import { DataKeyDestroyed, type DataKeys } from '@causeway/data-keys';
import { credentialNames, type CredentialName, type Known } from '@causeway/domain/connections';
import type { KeySet } from '@causeway/settings';

type Given = Partial<Record<CredentialName, string | null>>;

const contextOf = (name: CredentialName): string => `credential ${name}`;

/** What the gateway has sealed for the connection, from here on under its data key: null clears. */
export const cipheredCredentials = async (
  { dataKeys, sealingKeys }: Readonly<{ dataKeys: DataKeys; sealingKeys: KeySet }>,
  connectionId: string,
  sealed: string,
): Promise<Given> => {
  const opened = JSON.parse(await openSealed(sealed, sealingKeys)) as SealedCredentials;
  if (opened.connectionId !== connectionId) throw new Error('the credentials were sealed for another connection');
  const ciphers: Given = {};
  for (const name of credentialNames) {
    const given = opened.credentials[name];
    if (given === undefined) continue;
    const encrypt = (text: string) => dataKeys.encrypt(connectionId, Buffer.from(text), contextOf(name));
    ciphers[name] = given === null ? null : (await encrypt(given)).toString('base64');
  }
  return ciphers;
};

/** What the connection logs in with. In memory alone, and only while it does. */
export const credentialsOf = async (
  dataKeys: DataKeys,
  connectionId: string,
  { ciphers }: Known['login'],
): Promise<Credentials> => {
  const credentials: { -readonly [name in keyof Credentials]: Credentials[name] } = {};
  for (const name of credentialNames) {
    const cipher = ciphers[name];
    if (cipher === undefined) continue;
    const plain = await dataKeys.decrypt(connectionId, Buffer.from(cipher, 'base64'), contextOf(name));
    if (plain === undefined) throw new DataKeyDestroyed(connectionId);
    credentials[name] = plain.toString();
  }
  return credentials;
};
