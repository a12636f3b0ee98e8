declare module "virtual:catalogue" {
  const entries: readonly import("./catalogue.ts").LemmaEntry[];
  export default entries;
}
