"""Nobody hears any more what is cast to a topic, and does not know it."""

import kombu


def deafen(rabbitmq, topic):
    """Whoever hears the casts to TOPIC by now; they come to nothing. How many that were."""
    exchange = f"{topic}_fanout"
    heard = [queue for source, queue in rabbitmq.listed("bindings", "source_name",
                                                        "destination_name")
             if source == exchange]
    with kombu.Connection(rabbitmq.url.replace("rabbit:", "pyamqp:", 1)) as link:
        link.channel().exchange_delete(exchange)
    return len(heard)
