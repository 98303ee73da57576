const item = (scheme: string, country: string, details: string): string =>
  `json_build_object('scheme', '${scheme}', 'countryCode', ${country}, 'currency', currency, 'details', ${details})`;

const american = `json_build_object('accountNumber', account_number, 'routingNumber', routing_number)`;
const international = `json_strip_nulls(json_build_object('iban', account_number, 'swiftBic', swift_bic))`;

/** What the account can be paid by, as far as its numbers tell: in the shape that a transfer's destination names them. */
export const paymentIdentifiers = `CASE
  WHEN account_number ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
    THEN json_build_array(${item('iban', 'left(account_number, 2)', international)})
  WHEN account_number <> '' AND routing_number ~ '^[0-9]{9}$' AND currency = 'USD'
       AND type IN ('checking', 'savings', 'moneyMarket')
    THEN json_build_array(${item('us_ach', "'US'", american)}, ${item('us_wire', "'US'", american)})
  ELSE '[]'::json END`;
