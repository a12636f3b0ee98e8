// Data to audit on: a file, or a data set that the site has.

export const namedData = ["two-moons", "circles", "spirals", "digits"] as const;
export type NamedData = (typeof namedData)[number];

export const dataLabels: Readonly<Record<NamedData, string>> = {
  "two-moons": "Two moons (drawn)",
  circles: "Circles (drawn)",
  spirals: "Spirals (drawn)",
  digits: "Handwritten digits (6,000 and 1,000 of MNIST)",
};

export type DataChoice = File | NamedData;

/** The address of the folder with the digits, beside the page. */
export const digitsFolder = (): string => new URL("digits/", document.baseURI).href;
