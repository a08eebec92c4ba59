import { readFile } from 'node:fs/promises';

/**
 * Reads the text of a file; `-` stands for standard input.
 *
 * @throws {Error} with the name of the file and the reason
 */
export async function readText(file: string): Promise<string> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`'${file}' cannot be read (${(error as Error).message})`);
  }
}
