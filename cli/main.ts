#!/usr/bin/env node
// This import must come first: its signal handlers must be there while the other imports load.
import './first-process';
import { command } from './command';
import { outliveReaders } from './output/reader';

outliveReaders();
void command(process.argv.slice(2), process.env);
