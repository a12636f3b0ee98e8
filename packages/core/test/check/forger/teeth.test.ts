// The forger finds what there is to find: each planted weakness, within the ten thousand forgeries of a run, and with
// LEMMATA_HUNT those too that take more.
import { expect, it } from "vitest";
import { checkCertificate } from "../../../src/check/check.ts";
import { patience } from "../../patience.ts";
import { campaign, subjects } from "./forge.ts";
import { weakened } from "./weakened.ts";
import { hardWeaknesses, weaknesses } from "./weaknesses.ts";

const made = subjects(checkCertificate);
const isHunt = Number(process.env["LEMMATA_HUNT"] ?? 0) > 0;
const cases = [
  ...weaknesses.map((weakness) => [weakness.what, 10_000, weakness] as const),
  ...(isHunt ? hardWeaknesses.map((weakness) => [weakness.what, 30_000, weakness] as const) : []),
];

it.each(cases)(
  "%s: a false acceptance is found among %d forgeries",
  async (_, most, weakness) => {
    const { found } = await campaign(
      await weakened(weakness),
      await made,
      most,
      isHunt ? "forger" : (weakness.soon ?? "forger"),
    );
    expect(found).toBeDefined();
  },
  patience(600_000),
);
