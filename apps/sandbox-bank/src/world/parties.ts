/** Who is on the other side of a movement. All invented. */
export type Party = Readonly<{
  name: string;
  /** As statements print it. */
  upper: string;
  city: string;
  mcc: string | null;
  subcategory: string | null;
}>;

type Parties = readonly [Party, ...Party[]];

const party = (line: string): Party => {
  const [name = '', city = '', mcc = '', subcategory = ''] = line.split('|');
  return { name, upper: name.toUpperCase(), city, mcc: mcc || null, subcategory: subcategory || null };
};

const parties = (first: string, ...rest: readonly string[]): Parties => [party(first), ...rest.map(party)];

/** name | city | merchant category code (ISO 18245) | subcategory */
export const merchants = parties(
  'Harbor Street Coffee|PORTLAND OR|5814|coffee',
  'Juniper & Rye Kitchen|PORTLAND OR|5812|restaurant',
  'Northfield Grocers|SALEM OR|5411|groceries',
  'Cobalt Fuel Stop 18|EUGENE OR|5541|fuel',
  'Paper Lantern Books|PORTLAND OR|5942|books',
  'Ridgeway Office Supply|BEND OR|5943|officeSupplies',
  'Alder Pharmacy|PORTLAND OR|5912|pharmacy',
  'Quarry Hardware|MEDFORD OR|5251|hardware',
  'Cloudrow Hosting|SEATTLE WA|4816|software',
  'Tern Airlines|SEATTLE WA|4511|travel',
  'Old Mill Hotel|BOISE ID|7011|lodging',
  'Kestrel Taxi|PORTLAND OR|4121|transport',
);

export const cashMachines = parties('Pine Avenue|PORTLAND OR|6011|atm', 'Station Hall|SEATTLE WA|6011|atm');

export const billers = parties(
  'Cascade Power & Light||4900|utilities',
  'Bluewater Utilities||4900|utilities',
  'Summit Mutual Insurance||6300|insurance',
  'Larkspur Telecom||4814|telephone',
  'Granite Property Leasing||6513|rent',
  'Fieldstone Payroll Services||7392|payroll',
);

export const customers = parties(
  'Marrow Lane Studios LLC|||sales',
  'Ostrander Freight Inc|||sales',
  'Velvet Anchor Designs|||sales',
  'Pemberton Dairy Co-op|||sales',
  "O'Hara Surveying|||sales",
  'Twelve Oaks Clinic|||sales',
);

export const suppliers = parties(
  'Ironwood Machine Works|||materials',
  'Delmar Packaging Corp|||materials',
  'Brightwell Logistics|||shipping',
  'Saltmarsh Legal LLP|||legal',
);

export const europeanCustomers = parties(
  'Möwe Handels GmbH|Hamburg||sales',
  'Atelier Lavande SARL|Lyon||sales',
  'Fjordlys AS|Bergen||sales',
);

export const europeanSuppliers = parties(
  'Stadtwerke Ahrental|Ahrental|4900|utilities',
  'Kontor Brücke KG|Bremen||materials',
  'Vlinder Logistiek B.V.|Utrecht||shipping',
);

export const house = parties('Sandbox Bank|PORTLAND OR||');
