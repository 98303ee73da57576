import type { Instructions } from '@causeway/domain/connections';

/** RFC 2606: mail to this domain reaches nobody. */
const mailDomain = 'delegated-users.example';

/** The user to be made at the bank for a connection; `isReady`: there are an address and a number for it. */
export const delegatedUser = (connectionId: string, isReady: boolean): Instructions => {
  const digits = connectionId.replaceAll('-', '');
  const name = digits.slice(-12);
  // 555-0100 to 555-0199 are reserved for fiction.
  const line = 100 + (Number.parseInt(digits.slice(-4), 16) % 100);
  const provisioning = isReady ? 'ready' : 'pending';
  return {
    firstName: 'Causeway',
    lastName: `Connection ${name.slice(-4).toUpperCase()}`,
    address: '1 Causeway Street, Springfield, IL 62701, US',
    email: `${name}@${mailDomain}`,
    username: `causeway-${name}`,
    phoneNumber: `+12175550${line}`,
    emailProvisioningStatus: provisioning,
    phoneNumberProvisioningStatus: provisioning,
  };
};
