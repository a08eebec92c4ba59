import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../version';
import type { Findings } from '../result';
import type { Scene } from '../scene';
import type { ServersDescription } from '../servers';
import { figuresTable, verdictsTable } from './table';

/** The report of a scene, without its plots. */
export interface SceneReport extends Omit<Findings, 'plots'> {
  scene: string;
  title: string;
  date: string;
  /** Whether the scene ran at the small size, whose figures mean nothing. */
  quick: boolean;
  seconds: number;
  machine: { cores: number; cpu: string; platform: string; memoryGigabytes?: number };
  /** The versions that were measured; the commit is that of the working copy. */
  versions: { escapement: string; commit: string; node: string };
  servers: ServersDescription;
  size: object;
  /** Names of the files that were drawn. */
  plots: string[];
}

export function reportOf(
  scene: Scene,
  findings: Findings,
  run: { quick: boolean; size: object; seconds: number; servers: ServersDescription; commit: string },
): SceneReport {
  return {
    scene: scene.name,
    title: scene.title,
    date: new Date().toISOString(),
    quick: run.quick,
    seconds: Math.round(run.seconds),
    ...measuredOn(run.commit),
    servers: run.servers,
    size: run.size,
    ...findings,
    plots: findings.plots.map(({ file }) => file),
  };
}

/** The machine, and the versions that were measured. */
export function measuredOn(commit: string): Pick<SceneReport, 'machine' | 'versions'> {
  return {
    machine: {
      cores: cpus().length,
      cpu: cpus()[0]?.model ?? 'unknown',
      platform: `${process.platform} ${process.arch}`,
      memoryGigabytes: Math.round(totalmem() / 1e9),
    },
    versions: { escapement: version, commit, node: process.version },
  };
}

/** Write a scene's report and its plots into a folder. */
export async function writeReport(folder: string, report: SceneReport, { plots }: Findings): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${report.scene}.json`), `${JSON.stringify(report, null, 2)}\n`);
  for (const { file, svg } of plots) await writeFile(join(folder, file), svg);
}

const BEGIN = '<!-- results: begin -->';
const END = '<!-- results: end -->';

/** Replace the text between the marks of a Markdown file with the reports in a folder, in the order of the scenes. */
export async function writeTables(markdownFile: string, folder: string, scenes: readonly Scene[]): Promise<void> {
  const sections: string[] = [];
  for (const { name } of scenes) {
    const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => undefined);
    if (text !== undefined) sections.push(section(JSON.parse(text), 'results'));
  }
  const markdown = await readFile(markdownFile, 'utf8');
  const before = markdown.slice(0, markdown.indexOf(BEGIN) + BEGIN.length);
  const after = markdown.slice(markdown.indexOf(END));
  await writeFile(markdownFile, `${before}\n\n${sections.join('\n\n')}\n\n${after}`);
}

/** Formats one scene as Markdown. @param folder path of the plots, relative to the file */
export function section(report: SceneReport, folder: string): string {
  const { machine, servers, versions } = report;
  const checks = report.checks.map(
    ({ what, ok, detail }) => `- ${ok ? 'Holds' : '**Does not hold**'}: ${what}${detail ? ` (${detail})` : ''}.`,
  );
  const postgres = Object.entries(servers.postgres).map(([name, value]) => `${name} ${value}`);
  return [
    `### ${report.scene}`,
    `${report.title}.`,
    ...(report.quick ? ['**A run at the small size: its figures mean nothing.**'] : []),
    ...(report.verdicts.length > 0 ? [verdictsTable(report.verdicts)] : []),
    figuresTable(report.figures),
    ...report.plots.map((file) => `![${file}](${folder}/${file})`),
    [...checks, ...report.notes.map((note) => `- ${note}`)].join('\n'),
    `${report.date.slice(0, 10)}, commit ${versions.commit}, ${Math.ceil(report.seconds / 60)} min, ${machine.cores} cores (${machine.cpu})${machine.memoryGigabytes ? ` and ${machine.memoryGigabytes} GB` : ''} shared by everything; ${servers.temporal}; Postgres: ${postgres.join(', ')}; Node ${versions.node}.`,
  ].join('\n\n');
}
