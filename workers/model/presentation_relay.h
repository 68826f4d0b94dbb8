/*
 * presentation_relay -- the data of HIP (RFC 8005) and AMTRELAY (RFC 8777) records, for
 * presentation_field.c only. ldns makes errors when it reads or prints these data.
 * presentation_field.c treats all words of the data as one field.
 */
#pragma once

#include "model/presentation_field.h"

enum err field_read_hip(struct field *field);	/* ALGORITHM HIT KEY [SERVER...] */
bool field_print_hip(const uint8_t *wire, size_t len, struct buf *text);
enum err field_read_amtrelay(struct field *field);	/* PRECEDENCE D TYPE RELAY */
bool field_print_amtrelay(const uint8_t *wire, size_t len, struct buf *text);
