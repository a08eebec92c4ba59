-- Run this once as a superuser. One role owns the ledger and is no superuser; two roles own nothing.
create role escapement_owner login password 'owner';
create role escapement_trigger login password 'trigger';
create role escapement_client login password 'client';
create database escapement owner escapement_owner;
