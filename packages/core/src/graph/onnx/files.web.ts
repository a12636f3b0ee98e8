// Models by URL, in a browser. The same exports as files.node.ts.
import { GraphError } from "../error.ts";
import type { Graph } from "../graph.ts";
import { checkLocation, externalLocations } from "./external.ts";
import { readModel } from "./read.ts";

/**
 * Fetches an ONNX file, and the weights that it keeps in other files of its own folder.
 * @example (await loadModel("/models/net.onnx")).inputs
 */
export async function loadModel(url: string): Promise<Graph> {
  const bytes = await fetchBytes(url);
  try {
    const files = new Map<string, Uint8Array>();
    for (const location of externalLocations(bytes)) {
      files.set(location, await fetchBytes(besideUrl(url, location)));
    }
    return readModel(bytes, {
      external(location, offset, length) {
        const file = files.get(location);
        if (!file || offset + length > file.length) {
          throw new GraphError(
            `external data ${JSON.stringify(location)} has ${file?.length ?? 0} bytes: ${length} from ${offset} on are not there`,
          );
        }
        return file.subarray(offset, offset + length);
      },
    });
  } catch (error) {
    throw error instanceof GraphError ? new GraphError(`${url}: ${error.message}`) : error;
  }
}

export interface SaveOptions {
  /** Large weights go to `<path>.data`: by default only where the model would pass protobuf's 2 GiB. */
  readonly external?: boolean;
  /** With `external`: weights of at least this many bytes go there. */
  readonly threshold?: number;
}

/** A browser has no files to write: always an error that says what to use there. */
export async function saveModel(_graph: Graph, path: string, _options: SaveOptions = {}): Promise<void> {
  throw new GraphError(
    `${path} cannot be written in a browser: use writeModel, and offer its bytes to download`,
  );
}

/** The URL of a file in the model's folder. */
function besideUrl(url: string, location: string): string {
  checkLocation(location);
  const base = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  return new URL(location.split("/").map(encodeURIComponent).join("/"), new URL(url, base)).href;
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new GraphError(`${url} cannot be fetched: ${error instanceof Error ? error.message : error}`);
  }
  if (!response.ok) throw new GraphError(`${url} cannot be fetched: the server says ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
