declare module "virtual:catalogue" {
  const entries: readonly import("./catalogue.ts").LemmaEntry[];
  export default entries;
}
declare module "virtual:catalogue-counts" {
  const counts: { readonly lemmata: number; readonly errata: number };
  export default counts;
}
declare module "virtual:catalogue-subjects" {
  const subjects: readonly import("@lemmata/core/theory").Subject[];
  export default subjects;
}
