"""False claims that were written against the rules of proof: title, passage, claims."""

ATTACKS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Lisk Baths",
        "The baths stand by the river. The pool is free, on Monday, for residents.",
        ("The pool is free for residents.",),
    ),
    (
        "Lisk Baths",
        "The baths stand by the river. Entry to the pool is free, on Monday.",
        ("Entry to the pool is free.",),
    ),
    (
        "Corrie Pass",
        "The road was built in 1930. The road is closed, at Easter, to lorries.",
        ("The road is closed to lorries.",),
    ),
    (
        "Ward rules",
        "The ward has 20 beds. Patients, once awake, can drink water.",
        ("Patients can drink water.",),
    ),
    (
        "Seedlings",
        "Sow in March. Seedlings, once green, can be moved outside.",
        ("Seedlings can be moved outside.",),
    ),
    (
        "Paint",
        "The paint is thick. The paint, once dry, can be sanded.",
        ("The paint can be sanded.",),
    ),
    (
        "Ferries",
        "There are two boats. The ferry to Lisk, weather permitting, leaves at 9:00.",
        ("The ferry to Lisk leaves at 9:00.",),
    ),
    (
        "Ferries",
        "There are two boats. The ferry to Lisk, summer apart, leaves at 9:00.",
        ("The ferry to Lisk leaves at 9:00.",),
    ),
    (
        "Rooms",
        "The house is old. Every room, the kitchen excluded, has a lamp.",
        ("Every room has a lamp.",),
    ),
    (
        "Rooms",
        "The house is old. All rooms, not the attic, have a heater.",
        ("All rooms have a heater.",),
    ),
    (
        "Pass",
        "The pass costs 9 euros. The pass is valid on all buses, not on the night bus.",
        ("The pass is valid on all buses.",),
    ),
    (
        "Hotel Marn",
        "The hotel has a spa. Guests use the sauna free of charge, paying with points.",
        ("Guests use the sauna free of charge.",),
    ),
    ("Museum", "The museum is small. Admission is free, under 12 years.", ("Admission is free.",)),
    ("Parking", "There is a car park. Parking is free, up to two hours.", ("Parking is free.",)),
    ("Museum", "The museum is small. Entry is free, once a month.", ("Entry is free.",)),
    (
        "Pass",
        "The pass is high. The road is passable, mainly in summer.",
        ("The road is passable.",),
    ),
    (
        "Parking",
        "There is a car park. Parking is free, where a green line is painted.",
        ("Parking is free.",),
    ),
    (
        "House",
        "The house has six rooms. All rooms have heating, but the attic does not.",
        ("All rooms have heating.",),
    ),
    (
        "Buses",
        "Lisk has ten buses. Every bus is free, but the night bus costs 3 euros.",
        ("Every bus is free.",),
    ),
    (
        "Bags",
        "Bags are scanned. All bags are opened; the bags of the crew are not.",
        ("All bags are opened.",),
    ),
    (
        "Boats",
        "The harbour is small. Boats leave hourly, as the tide permits.",
        ("Boats leave hourly.",),
    ),
    ("Park", "The park is open. Dogs are allowed (on a lead).", ("Dogs are allowed.",)),
    ("Museum", "The museum is small. Entry is free (children under 6).", ("Entry is free.",)),
    ("Pool", "The pool is small. The pool is open daily (summer).", ("The pool is open daily.",)),
    (
        "Pool",
        "The pool is small. The pool opens daily, the winter aside.",
        ("The pool opens daily.",),
    ),
    (
        "Insurance",
        "The policy is cheap. The insurance covers a bicycle locked to a rack.",
        ("The insurance covers a bicycle.",),
    ),
    (
        "Hotel Marn",
        "The hotel is quiet. The hotel refunds a booking cancelled by noon.",
        ("The hotel refunds a booking.",),
    ),
    (
        "Bank",
        "The bank is old. The bank replaces a card stolen in the post free of charge.",
        (
            "The bank replaces a card free of charge.",
            "The bank replaces a card.",
        ),
    ),
    (
        "Safe",
        "The safe is heavy. A key and a code open the safe.",
        (
            "A key opens the safe.",
            "A code opens the safe.",
        ),
    ),
    (
        "Cleaning",
        "Wear gloves. Bleach and ammonia release a toxic gas.",
        (
            "Bleach releases a toxic gas.",
            "Ammonia releases a toxic gas.",
        ),
    ),
    (
        "Alarm",
        "The alarm is loud. The alarm sounds with the door open and the key in the lock.",
        (
            "The alarm sounds with the door open.",
            "The alarm sounds.",
        ),
    ),
    (
        "Lisk letters",
        "The letters were sold in 1920. The false Karl Renn signed the letter.",
        ("Karl Renn signed the letter.",),
    ),
    (
        "Marn",
        "Marn is a town on the coast. The district of Marn has 80,000 inhabitants.",
        ("Marn has 80,000 inhabitants.",),
    ),
    (
        "Torr fever",
        "Torr fever is a disease of goats. The disease was eradicated in Velm in 1970.",
        (
            "The disease was eradicated in 1970.",
            "Torr fever was eradicated in 1970.",
        ),
    ),
    (
        "Lisk line",
        "The railway opened in 1880. The railway closed between Ard and Bel in 1964.",
        ("The railway closed in 1964.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a painter. She lost the sight in one eye in 1911.",
        ("Ada Lind lost the sight in 1911.",),
    ),
    (
        "Velm law",
        "The law was passed in 1890. The law barred men with a conviction from voting.",
        ("The law barred men from voting.",),
    ),
    (
        "Velm law",
        "The law was passed in 1890. Slavery was banned in the colony in 1832.",
        ("Slavery was banned in 1832.",),
    ),
    (
        "Lisk School",
        "Lisk School opened in 1900. The school refused pupils from the island.",
        ("The school refused pupils.",),
    ),
    (
        "Lisk Trust",
        "The trust was rich. The trust sold its shares in the brewery in 1990.",
        ("The trust sold its shares in 1990.",),
    ),
    (
        "Dusk Road",
        "Dusk Road is a novel by Ada Lind. The king was murdered in the novel.",
        ("The king was murdered.",),
    ),
    (
        "Orrin drug",
        "The drug is new. The drug killed the bacteria in a test tube.",
        ("The drug killed the bacteria.",),
    ),
    (
        "Velm",
        "Velm is a country. Women voted in the parish elections in 1890.",
        ("Women voted in 1890.",),
    ),
    (
        "Decree",
        "The decree was short. The decree freed prisoners from the north in 1801.",
        ("The decree freed prisoners in 1801.",),
    ),
    (
        "Bridge",
        "The bridge is long. The bridge collapsed in a computer model in 1999.",
        ("The bridge collapsed in 1999.",),
    ),
    ("Torrol", "Torrol is a legal drug in Velm.", ("Torrol is a legal drug.",)),
    ("Arn", "Arn is a king in the novel.", ("Arn is a king.",)),
    ("Ostrel", "Ostrel is a crime in the province of Tol.", ("Ostrel is a crime.",)),
    ("Quist", "Quist is an endangered species in Norway.", ("Quist is an endangered species.",)),
    ("Lorn", "Lorn is a drug for a fever, caused by a virus.", ("Lorn is caused by a virus.",)),
    (
        "Tholl",
        "Tholl is a museum in a mill, built in 1743.",
        (
            "Tholl is built in 1743.",
            "Tholl was built in 1743.",
        ),
    ),
    (
        "Dog",
        "The dog is big. The owner of the dog, which bites, lives in Marn.",
        ("The owner of the dog bites.",),
    ),
    (
        "The Orla",
        "The Orla is a ferry. The Orla carries a lifeboat. It holds 40 people.",
        ("The Orla holds 40 people.",),
    ),
    (
        "Pell Harrow",
        "Pell Harrow is a town in Lisk. Pell Harrow has a stone bridge. It is 90 metres long.",
        ("Pell Harrow is 90 metres long.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a chemist from Lisk. The element was discovered in 1890.",
        ("Ada Lind discovered the element in 1890.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a clerk in Lisk. The bank was robbed in 1912.",
        ("Otto Renn robbed the bank in 1912.",),
    ),
    (
        "Lisk Clinic",
        "Lisk Clinic has two wards. The samples are analysed at a partner hospital.",
        ("Lisk Clinic analyses the samples at a partner hospital.",),
    ),
    (
        "Archive manual",
        "The archive is large. Old accounts are deleted by hand.",
        ("The system deletes old accounts by hand.",),
    ),
    (
        "Shop terms",
        "These terms apply to orders. We may cancel the order within 14 days.",
        ("You may cancel the order within 14 days.",),
    ),
    (
        "Lease",
        "This is the lease. We must give three months' notice.",
        ("You must give three months' notice.",),
    ),
    ("Lock", "The lock is new. The lock opens with a card.", ("The lock opens.",)),
    ("Pump", "The pump is new. The pump starts with the valve closed.", ("The pump starts.",)),
    (
        "Lamp",
        "The lamp is new. Turn the key; the lamp lights up.",
        ("Turn the key because the lamp lights up.",),
    ),
    (
        "Bridge",
        "The bridge was iron. The bridge fell, as it was being painted.",
        ("The bridge fell because it was being painted.",),
    ),
    (
        "Hall",
        "The hall is new. The hall has two hundred and fifty seats.",
        (
            "The hall has two hundred seats.",
            "The hall has fifty seats.",
            "The hall has 200 and 50 seats.",
        ),
    ),
    (
        "Pole",
        "The pole is new. The pole is five and a half metres long.",
        (
            "The pole is five metres long.",
            "The pole is half a metre long.",
        ),
    ),
    ("Wire", "The box has a wire. The wire leads to the alarm.", ("The wire causes the alarm.",)),
    ("Velm", "Velm is a country. Velm belongs to the Union.", ("Velm is owned by the Union.",)),
    (
        "Battery",
        "The battery is sealed. The battery arrives without charge.",
        ("The battery arrives free of charge.",),
    ),
    (
        "Watering",
        "The plant is small. Water the plant every second day.",
        ("Water the plant every day.",),
    ),
    (
        "Karl Renn",
        "Karl Renn was a clerk. Karl Renn was responsible for the fire.",
        ("Karl Renn was in charge of the fire.",),
    ),
    ("Cold", "Store it cold. The freezer runs at -18 °C.", ("The freezer runs at 18 °C.",)),
    (
        "Boats",
        "There are six boats. All boats leave the harbour at once.",
        ("All boats leave the harbour immediately.",),
    ),
    (
        "Lisk Ferries",
        "Tickets are sold on board. Bicycles travel free of charge, booked online.",
        ("Bicycles travel free of charge.",),
    ),
    (
        "Tram rules",
        "Trams run every 10 minutes. Dogs ride free, wearing a muzzle.",
        ("Dogs ride free.",),
    ),
    (
        "Guest house",
        "Breakfast starts at 7:00. Guests may bring a dog, paying 10 euros a night.",
        ("Guests may bring a dog.",),
    ),
    (
        "Refunds",
        "Refunds take a week. Fees are refunded, 50% of the price.",
        ("Fees are refunded.",),
    ),
    (
        "Trail",
        "The trail is steep. Camping is allowed, where the ground is marked in yellow.",
        ("Camping is allowed.",),
    ),
    (
        "Cards",
        "The card is blue. All cards are accepted, whereas foreign cards are refused.",
        ("All cards are accepted.",),
    ),
    (
        "Cards",
        "The card is blue. The shop takes every card: foreign cards are refused.",
        ("The shop takes every card.",),
    ),
    (
        "Staff",
        "Staff work shifts. Nobody works on Sunday; the guards do.",
        ("Nobody works on Sunday.",),
    ),
    ("Meals", "Meals are hot. All meals are free — the crew pays half.", ("All meals are free.",)),
    (
        "Repairs",
        "Repairs take a week. Repairs are free of charge, as our warranty permits.",
        ("Repairs are free of charge.",),
    ),
    ("Rental", "Cars are small. Mileage is unlimited (weekends).", ("Mileage is unlimited.",)),
    (
        "Rental",
        "Cars are small. Drivers must be 25 years old (vans).",
        ("Drivers must be 25 years old.",),
    ),
    (
        "Dosage",
        "The tablets are white. Take two tablets daily (adults).",
        ("Take two tablets daily.",),
    ),
    ("Dosage", "The tablets are white. Take two tablets (children: one).", ("Take two tablets.",)),
    (
        "Speed",
        "The limit is new. The speed limit is 80 km/h (rain: 60 km/h).",
        ("The speed limit is 80 km/h.",),
    ),
    (
        "Export",
        "The tool runs on Linux. The tool exports files as PDF (paid plan).",
        ("The tool exports files as PDF.",),
    ),
    (
        "Export",
        "The tool runs on Linux. The export includes every field, the notes apart.",
        ("The export includes every field.",),
    ),
    (
        "Warranty",
        "The pump is steel. The warranty covers all parts, the seals aside.",
        ("The warranty covers all parts.",),
    ),
    (
        "Fridge",
        "The fridge is white. The fridge, once level, can be switched on.",
        ("The fridge can be switched on.",),
    ),
    ("Members", "The club is old. Members, once of age, can vote.", ("Members can vote.",)),
    (
        "Orla Castle",
        "The castle is open. The tour of Orla, snow permitting, starts at noon.",
        ("The tour of Orla starts at noon.",),
    ),
    (
        "Zone",
        "Zone B is small. Parking is permitted, on Sunday, in Zone B.",
        ("Parking is permitted in Zone B.",),
    ),
    (
        "Law",
        "The law is new. Fishing was legal, in the lower river, until 1980.",
        ("Fishing was legal until 1980.",),
    ),
    ("Lake", "The lake is deep. Fishing is legal, at Marn.", ("Fishing is legal.",)),
    (
        "Launch",
        "Two switches are needed. The left switch and the right switch start the motor.",
        ("The left switch starts the motor.",),
    ),
    (
        "Scales",
        "Three weights are given. A stone and a coin balance the scale.",
        ("A stone balances the scale.",),
    ),
    (
        "Border",
        "Bring papers. A visa and a passport admit travellers.",
        ("A visa admits travellers.",),
    ),
    (
        "Lamp",
        "The lamp is small. Red and green light produce yellow.",
        (
            "Red light produces yellow.",
            "Green light produces yellow.",
        ),
    ),
    (
        "Motor",
        "The motor is small. The motor stops with the lid open and the brake on.",
        ("The motor stops with the lid open.",),
    ),
    (
        "Velm",
        "Velm has a long history. The pretender Karl Renn was crowned in Lisk.",
        ("Karl Renn was crowned in Lisk.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a singer. The wax figure Ada Lind stands in Lisk.",
        ("Ada Lind stands in Lisk.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a singer. The ship Ada Lind sank in 1940.",
        ("Ada Lind sank in 1940.",),
    ),
    (
        "Arn of Lisk",
        "King Arn of Lisk died in 1420. King Arn of Velm lost the battle in 1430.",
        ("King Arn lost the battle in 1430.",),
    ),
    (
        "Tarn",
        "Tarn is a village. The lake of Tarn is 40 metres deep.",
        ("Tarn is 40 metres deep.",),
    ),
    (
        "The Vell",
        "The Vell is a river in Lisk. The Vell is crossed by a bridge. It was built in 1790.",
        ("The Vell was built in 1790.",),
    ),
    (
        "grebe",
        "grebe is a command. grebe reads a file. It must end in .txt.",
        ("grebe must end in .txt.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a physicist in Velm. The bomb was built in 1944. She opposed the bomb.",
        ("Ada Lind built the bomb in 1944.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a minister. The king was murdered in 1801. He fled to Lisk.",
        ("Otto Renn murdered the king in 1801.",),
    ),
    (
        "Orrin Bank",
        "Orrin Bank lends money. Complaints are decided within 14 days.",
        ("Orrin Bank decides complaints within 14 days.",),
    ),
    (
        "Lisk",
        "Lisk is a town. The bridge was destroyed in 1944.",
        ("Lisk destroyed the bridge in 1944.",),
    ),
    (
        "Vault",
        "The vault is safe. Reports are checked twice.",
        ("The software checks reports twice.",),
    ),
    (
        "Terms of Orrin",
        "These are the terms. You may end the contract at any time.",
        ("We may end the contract at any time.",),
    ),
    ("Terms of Orrin", "These are the terms. We pay the postage.", ("You pay the postage.",)),
    (
        "Terms of Orrin",
        "These are the terms. We must return the deposit within a week.",
        (
            "You must return the deposit within a week.",
            "Users must return the deposit within a week.",
        ),
    ),
    (
        "Terms of Orrin",
        "These are the terms. You must insure the parcel.",
        ("Orrin must insure the parcel.",),
    ),
    (
        "Fabric",
        "The fabric is soft. The stain disappears with a solvent.",
        ("The stain disappears.",),
    ),
    ("Door", "The door is steel. The door closes with a key.", ("The door closes.",)),
    ("Tablet", "The tablet is small. The tablet dissolves with heat.", ("The tablet dissolves.",)),
    (
        "Visa",
        "The embassy is open. The officer admits travellers with a visa.",
        (
            "The officer admits travellers.",
            "The officer uses a visa to admit travellers.",
        ),
    ),
    (
        "Bus",
        "The bus is old. The driver refuses passengers with large dogs.",
        ("The driver refuses passengers.",),
    ),
    (
        "School",
        "The school is new. The school rejects applicants with a criminal record.",
        ("The school rejects applicants.",),
    ),
    (
        "School",
        "The school is new. The school rejected applicants with a criminal record.",
        ("The school rejected applicants.",),
    ),
    (
        "School",
        "The school is new. The school expelled students from the north.",
        ("The school expelled students.",),
    ),
    (
        "Army",
        "The army was small. The army rejected recruits under 18 years.",
        ("The army rejected recruits.",),
    ),
    (
        "Crops",
        "The year was dry. The harvest failed: prices rose.",
        ("The harvest failed because prices rose.",),
    ),
    (
        "Alarm",
        "The alarm is loud. Press the button; the door opens.",
        ("Press the button because the door opens.",),
    ),
    (
        "Roof",
        "The roof was tin. The roof collapsed, as they were dining.",
        ("The roof collapsed because they were dining.",),
    ),
    (
        "Strike",
        "The mill closed. The mill closed: the workers left the town.",
        (
            "The mill closed because the workers left the town.",
            "The mill closed, so the workers left the town.",
        ),
    ),
    (
        "Gate",
        "The gate is iron. The gate closes at five to seven.",
        (
            "The gate closes at five.",
            "The gate closes at 5-7.",
        ),
    ),
    (
        "Race",
        "The race is long. The winner took one and a half hours.",
        (
            "The winner took one hour.",
            "The winner took half an hour.",
        ),
    ),
    (
        "Price",
        "The price is low. The ticket costs a hundred and twenty euros.",
        (
            "The ticket costs a hundred euros.",
            "The ticket costs twenty euros.",
            "The ticket costs 100 and 20 euros.",
        ),
    ),
    (
        "Watering",
        "The fern is small. The fern is watered every other day.",
        (
            "The fern is watered every day.",
            "The fern is watered daily.",
        ),
    ),
    (
        "Gauge",
        "The gauge is precise. The gauge reads three tenths of a millimetre.",
        (
            "The gauge reads 3 millimetres.",
            "The gauge reads a tenth of a millimetre.",
        ),
    ),
    (
        "Clock",
        "The clock is old. The clock loses three quarters of a minute per day.",
        (
            "The clock loses a quarter of a minute per day.",
            "The clock loses 3 minutes per day.",
        ),
    ),
    (
        "Clock",
        "The clock is old. The bell rings every quarter hour.",
        (
            "The bell rings every hour.",
            "The bell rings hourly.",
        ),
    ),
    ("Clock", "The clock is old. The bell rings twice an hour.", ("The bell rings every hour.",)),
    (
        "Tank",
        "The tank is steel. The tank holds 5 to 7 litres.",
        (
            "The tank holds 7 litres.",
            "The tank holds up to 7 litres.",
            "The tank holds at least 5 litres.",
        ),
    ),
    (
        "Tank",
        "The tank is steel. The pressure is not more than 5 bar.",
        (
            "The pressure is not 5 bar.",
            "The pressure is 5 bar.",
        ),
    ),
    (
        "Age",
        "The ride is fast. Riders must be at least 12.",
        (
            "Riders must be 12.",
            "Riders must be more than 12.",
        ),
    ),
    ("Age", "The ride is fast. Riders must be over 12.", ("Riders must be at least 12.",)),
    ("Time", "The hall opens at 8. The hall opens at 8 am.", ("The hall opens at 8 pm.",)),
    (
        "Ada Lind",
        "Ada Lind was a runner. She finished the race with a broken foot on the third day.",
        ("Ada Lind finished the race on the third day.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a runner. She won the race at the third attempt.",
        (
            "Ada Lind won the race at the first attempt.",
            "Ada Lind won the race.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The plague ended in the harbour quarter in 1711.",
        ("The plague ended in 1711.",),
    ),
    (
        "Velm",
        "Velm is a country. The tax was abolished in the northern provinces in 1820.",
        ("The tax was abolished in 1820.",),
    ),
    (
        "Velm",
        "Velm is a country. Private cars were banned from the old town in 1990.",
        (
            "Private cars were banned in 1990.",
            "Private cars were banned.",
        ),
    ),
    (
        "Velm",
        "Velm is a country. The wolf died out on the islands in 1850.",
        ("The wolf died out in 1850.",),
    ),
    (
        "Velm",
        "Velm is a country. The army withdrew from the east bank in 1919.",
        ("The army withdrew in 1919.",),
    ),
    (
        "Velm",
        "Velm is a country. The right to vote was granted to women in the capital in 1901.",
        ("The right to vote was granted to women in 1901.",),
    ),
    ("Play", "The play is long. Duke Orn was stabbed in the play.", ("Duke Orn was stabbed.",)),
    (
        "Trial",
        "The trial was short. Karl Renn was convicted in a mock trial in 1930.",
        ("Karl Renn was convicted in 1930.",),
    ),
    (
        "Trial",
        "The trial was short. The drug cured the infection in mice at the clinic.",
        ("The drug cured the infection.",),
    ),
    (
        "Trial",
        "The drug is new. The drug cured the infection in a mouse in 2019.",
        ("The drug cured the infection in 2019.",),
    ),
    (
        "Ballot",
        "The ballot was secret. The bill passed in the lower house in 1911.",
        ("The bill passed in 1911.",),
    ),
    (
        "Ballot",
        "The vote was close. The party won the election in the district of Tol.",
        ("The party won the election.",),
    ),
    (
        "Firm",
        "The firm is old. The firm stopped production at the Lisk plant in 2004.",
        ("The firm stopped production in 2004.",),
    ),
    (
        "Firm",
        "The firm is old. The firm dismissed workers with a contract from 1990.",
        ("The firm dismissed workers.",),
    ),
    (
        "Firm",
        "The firm is old. The firm sold the rights to the film in Asia.",
        ("The firm sold the rights to the film.",),
    ),
    (
        "Firm",
        "The firm is old. The firm lost its licence to sell alcohol in 2010.",
        (
            "The firm lost its licence in 2010.",
            "The firm lost its licence.",
        ),
    ),
    (
        "Court",
        "The court met in Lisk. The court denied women the right to inherit land.",
        ("The court denied women the right.",),
    ),
    (
        "Court",
        "The court met in Lisk. The judge set the prisoner a task to perform.",
        ("The judge set the prisoner.",),
    ),
    (
        "Engine",
        "The engine was loud. The engine failed before it was mounted.",
        ("The engine failed after it was mounted.",),
    ),
    (
        "Jam",
        "Clean the jar. Dry the jar and then fill it with jam.",
        (
            "Fill the jar with jam and then dry it.",
            "Fill the jar with jam before drying it.",
        ),
    ),
    (
        "Jam",
        "Boil the fruit. Add the sugar. Stir the jam.",
        (
            "Add the sugar and then boil the fruit.",
            "Stir the jam, then add the sugar.",
            "Before boiling the fruit, add the sugar.",
        ),
    ),
    (
        "Pump",
        "Close the valve. Start the pump. Open the lid.",
        (
            "Start the pump and close the valve.",
            "Open the lid and start the pump.",
        ),
    ),
    (
        "Life",
        "Ada Lind was a poet. She moved to Lisk in 1900. She married in 1910.",
        ("Ada Lind married and then moved to Lisk.",),
    ),
    (
        "Pump",
        "The pump is started, and the valve is closed.",
        ("The valve is closed and then the pump is started.",),
    ),
    (
        "Modes",
        "Sleep mode saves power. The screen is off. In work mode the screen is on.",
        ("In work mode the screen is off.",),
    ),
    (
        "Meter",
        "The meter is small. The meter does not stop but slows down.",
        (
            "The meter does not slow down.",
            "The meter stops.",
        ),
    ),
    (
        "Card",
        "The card is blue. No card is needed, but a ticket is.",
        (
            "No ticket is needed.",
            "A card is needed.",
        ),
    ),
    (
        "Card",
        "The card is blue. The door does not open without a card.",
        ("The door does not open.",),
    ),
    (
        "Card",
        "The card is blue. The door does not open because of a fault.",
        ("The door does not open.",),
    ),
    (
        "Card",
        "The card is blue. The lamp is lit not by gas but by oil.",
        ("The lamp is lit by gas.",),
    ),
    (
        "Card",
        "The dish is not washed because it is made of wood. It is oiled.",
        ("The dish is washed because it is made of wood.",),
    ),
    (
        "Card",
        "The door opens only with a card. Guests may only smoke outside.",
        (
            "The door opens with a card.",
            "Guests may smoke.",
        ),
    ),
    (
        "Hut",
        "The hut sleeps ten. Members alone may book the hut.",
        (
            "Members may book the hut.",
            "Guests may book the hut.",
        ),
    ),
    (
        "Hut",
        "The hut sleeps ten. The hut is cleaned at most twice a week.",
        (
            "The hut is cleaned twice a week.",
            "The hut is cleaned at least twice a week.",
        ),
    ),
    ("Mill", "The mill is old. The stairs lead to the fire.", ("The stairs cause the fire.",)),
    (
        "Fern",
        "The fern is small. The fern belongs to the rose family.",
        ("The fern is owned by the rose family.",),
    ),
    (
        "Letters",
        "The mouse is small. Tenants let rooms to students.",
        ("Tenants allow rooms to students.",),
    ),
    ("Loan", "The bank is old. Customers take out loans.", ("Customers remove loans.",)),
    ("Rope", "The rope is new. Turn down the heat.", ("Reject the heat.",)),
    ("Path", "The path is steep. The path goes up in spring.", ("The path increases in spring.",)),
    (
        "Rules",
        "The tenant keeps the deposit. The landlord keeps the key.",
        ("The tenant keeps the key.",),
    ),
    (
        "Storm",
        "The storm hit Lisk. The storm was responsible for the flood.",
        ("The storm was in charge of the flood.",),
    ),
    (
        "Firm",
        "The firm has ten trucks. The first name on the list is Karl.",
        ("The forename on the list is Karl.",),
    ),
    (
        "Duel",
        "Ada Lind beat Ola Renn. The guard warned the thief.",
        (
            "Ola Renn beat Ada Lind.",
            "The thief warned the guard.",
            "The guard was warned by the thief.",
        ),
    ),
    (
        "Loan",
        "The bank lent the town 5,000 euros. The town gave the bank a hall.",
        (
            "The town lent the bank 5,000 euros.",
            "The bank gave the town a hall.",
        ),
    ),
    (
        "Sizes",
        "The Orla is longer than the Vell. The Vell is older than the Marn.",
        (
            "The Vell is longer than the Orla.",
            "The Marn is older than the Vell.",
        ),
    ),
    (
        "Keys",
        "The key to the cellar opens the door. The lid of the box is red.",
        (
            "The key opens the door to the cellar.",
            "The box of the lid is red.",
            "The red box has a lid.",
        ),
    ),
    (
        "Fee",
        "A member pays the club a fee if it is late. The club has a hall.",
        ("A member that is late pays the club a fee.",),
    ),
    (
        "Gate",
        "The guard opens the gate if it is icy. The gate is iron.",
        ("The guard that is icy opens the gate.",),
    ),
    (
        "Mayor",
        "The mayor of Lisk, a town of 900 people, resigned in 1990.",
        ("The mayor of Lisk is a town of 900 people.",),
    ),
    ("Glass", "Glass is hard. Glass heated slowly stays whole.", ("Glass heated stays whole.",)),
    (
        "Bolt",
        "The bolt is new. A bolt tightened slowly and evenly lasts.",
        ("A bolt tightened lasts.",),
    ),
    ("Berrol", "Berrol is a copy of a bell, cast in 1620.", ("Berrol was cast in 1620.",)),
    ("Vost", "Vost is a vaccine against a fever, spread by ticks.", ("Vost is spread by ticks.",)),
    ("Ulm", "Ulm is a 0% loan. Ulm is a suspect in a robbery.", ("Ulm is a suspect.",)),
    ("Vorn", "Vorn is a member for life on the board in Lisk.", ("Vorn is a member in Lisk.",)),
    ("Sarn", "Sarn is a holiday in the canton of Tol.", ("Sarn is a holiday.",)),
    (
        "Ilm",
        "Ilm is an official language in the province of Tol.",
        ("Ilm is an official language.",),
    ),
    ("Kest", "Kest is a stop on request for the night bus.", ("Kest is a stop.",)),
    ("Bel", "Bel is a weapon under the law of Velm.", ("Bel is a weapon.",)),
    (
        "Pets",
        "Two pets are sold. Give the cat to Ada and the dog to Karl.",
        (
            "Give the cat to Karl.",
            "Give the dog to Ada.",
        ),
    ),
    (
        "Hours",
        "The shop is small. The shop opens at 9 on weekdays and at 11 on Sundays.",
        (
            "The shop opens at 9 on Sundays.",
            "The shop opens at 11.",
        ),
    ),
    (
        "Velm",
        "Velm is a country. The governor ruled in the name of the queen in 1700.",
        ("The governor ruled in 1700.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a farmer. He shot at the wolf in the barn.",
        (
            "Otto Renn shot in the barn.",
            "Otto Renn shot the wolf in the barn.",
        ),
    ),
    (
        "Otto Renn",
        "Otto Renn was a farmer. He ran from the police in 1920.",
        ("Otto Renn ran in 1920.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was an officer. He served under an assumed name in the navy.",
        ("Otto Renn served in the navy.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was an heir. He lived on a pension from 1911.",
        ("Otto Renn lived from 1911.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was a diver. She stopped at a depth of 30 metres.",
        ("Ada Lind stopped.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The strike ended at the docks on 4 May.",
        ("The strike ended on 4 May.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The siege failed at the north gate in 1640.",
        ("The siege failed in 1640.",),
    ),
    ("Lisk", "Lisk is a port. Trade stopped with the island in 1640.", ("Trade stopped in 1640.",)),
    (
        "Lisk",
        "Lisk is a port. Trams were replaced by buses on the east line in 1960.",
        ("Trams were replaced by buses in 1960.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The fee was waived for pupils from Marn in 1960.",
        (
            "The fee was waived in 1960.",
            "The fee was waived for pupils in 1960.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The bank refused loans to buy a house in 1990.",
        (
            "The bank refused loans in 1990.",
            "The bank refused loans.",
        ),
    ),
    (
        "Lisk",
        "Lisk is a port. The council banned attempts to climb the tower.",
        ("The council banned attempts.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The court dropped its order to close the mine.",
        ("The court dropped its order.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The council lacked money to repair the bridge.",
        ("The council lacked money.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The judge gave the firm a year to repay the loan.",
        ("The judge gave the firm a year.",),
    ),
    (
        "Lisk",
        "Lisk is a port. The pilot missed the signal to land.",
        ("The pilot missed the signal.",),
    ),
    (
        "Rules",
        "The hall is new. Use of the hall is free, usually on Monday.",
        ("Use of the hall is free.",),
    ),
    ("Rules", "The hall is new. The hall, open to members, is free.", ("The hall is free.",)),
    (
        "Rules",
        "The hall is new. Smoking is allowed, which the rules limit to the yard.",
        ("Smoking is allowed.",),
    ),
    (
        "Rules",
        "The hall is new. Photos are allowed, for which a permit is required.",
        ("Photos are allowed.",),
    ),
    (
        "Rules",
        "The hall is new. Every guest gets a key, although guests in tents do not.",
        ("Every guest gets a key.",),
    ),
    (
        "Rules",
        "The hall is new. No fee is charged, but guests in tents pay 5 euros.",
        ("No fee is charged.",),
    ),
    (
        "Rules",
        "The hall is new. The bar never closes, but it rests in August.",
        ("The bar never closes.",),
    ),
    (
        "Rules",
        "The hall is new. The bar never closes (August: closed).",
        ("The bar never closes.",),
    ),
    (
        "Battery",
        "The battery is new. The battery lasts ten hours (screen off).",
        ("The battery lasts ten hours.",),
    ),
    (
        "Car",
        "The car is new. The car reaches 180 km/h, driven downhill.",
        ("The car reaches 180 km/h.",),
    ),
    (
        "Mushroom",
        "The mushroom is brown. The mushroom is edible (cooked).",
        ("The mushroom is edible.",),
    ),
    (
        "Lift",
        "The lift is small. The lift carries eight people, standing.",
        ("The lift carries eight people.",),
    ),
    (
        "grebe",
        "grebe is a tool. grebe deletes the file, run with `--force`.",
        ("grebe deletes the file.",),
    ),
    (
        "grebe",
        "grebe is a tool. grebe deletes the file (with `--force`).",
        ("grebe deletes the file.",),
    ),
    ("grebe", "grebe is a tool. The index, once full, is rebuilt.", ("The index is rebuilt.",)),
    ("grebe", "grebe is a tool. The log, once over 5 MB, is deleted.", ("The log is deleted.",)),
    (
        "Rooms",
        "The house is old. Every room, the kitchen apart, has a lamp.",
        ("Every room has a lamp.",),
    ),
    ("Zoo", "The zoo is large. Dogs are welcome, kept on a lead.", ("Dogs are welcome.",)),
    (
        "Trains",
        "Trains run hourly. Children travel free of charge, accompanied by an adult.",
        ("Children travel free of charge.",),
    ),
    (
        "Oven",
        "The oven is hot. The lid stays locked, while the drum turns.",
        ("The lid stays locked.",),
    ),
    (
        "Ferries",
        "There are two boats. The service runs daily but stops in August.",
        ("The service runs daily.",),
    ),
    (
        "Road",
        "The pass is high. The road is closed: snow blocks the pass.",
        ("The road is closed, so snow blocks the pass.",),
    ),
    (
        "Clinic",
        "The clinic is small. Treat children with asthma.",
        ("Use asthma to treat children.",),
    ),
    (
        "Road",
        "The road is old. The road passes over two bridges.",
        ("The road passes more than two bridges.",),
    ),
    ("Water", "The well is deep. The water may be toxic.", ("The water is allowed to be toxic.",)),
    (
        "Storage",
        "The cellar is cool. The cheese keeps for three weeks, wrapped in wax paper.",
        ("The cheese keeps for three weeks.",),
    ),
    (
        "Gas",
        "The gas has no smell. The gas is harmless, diluted in air.",
        ("The gas is harmless.",),
    ),
    (
        "Orla ladder",
        "The ladder is light. The ladder holds 150 kg, leaned against a wall.",
        ("The ladder holds 150 kg.",),
    ),
    (
        "Well",
        "The well is old. The water is drinkable, boiled for five minutes.",
        ("The water is drinkable.",),
    ),
    (
        "Trail",
        "The trail is steep. Fires are allowed, in the stone rings.",
        ("Fires are allowed.",),
    ),
    ("Heater", "The heater is small. The fan runs, while the plate is hot.", ("The fan runs.",)),
    (
        "Cards",
        "The card is blue. All cards are accepted, although the shop refuses foreign cards.",
        ("All cards are accepted.",),
    ),
    (
        "Warranty",
        "The pump is steel. All parts, the seals aside, are covered.",
        ("All parts are covered.",),
    ),
    (
        "Otto Renn",
        "Otto Renn was a baker. His son Karl took over the bakery. Renn closed the bakery in 1950.",
        ("Otto Renn closed the bakery in 1950.",),
    ),
    (
        "Ada Lind",
        "Ada Lind was born in Lisk. Her daughter Ada was a pilot. Ada crossed the ocean in 1932.",
        ("Ada Lind crossed the ocean in 1932.",),
    ),
    (
        "Lisk Abbey",
        "Lisk Abbey is an abbey in Velm. In 1540 the monks moved to Tarn Abbey. The "
        "abbey was burned in 1541.",
        ("Lisk Abbey was burned in 1541.",),
    ),
    (
        "Town",
        "The town is old. The town has changed, since the dam was built.",
        ("The town has changed because the dam was built.",),
    ),
    (
        "Trip",
        "The trip is easy. The loan is repaid over 12 months.",
        ("The loan is repaid more than 12 months.",),
    ),
    (
        "Race",
        "The race is long. The race leads around 12 stones.",
        ("The race leads about 12 stones.",),
    ),
    (
        "Goods",
        "The goods are sent by post. The parcel may arrive late.",
        ("The parcel is allowed to arrive late.",),
    ),
    (
        "Lamp",
        "The lamp is new. The tour guide speaks about 3 paintings.",
        ("The tour guide speaks approximately 3 paintings.",),
    ),
    (
        "Baths",
        "The baths are old. During August, the pool is closed; the sauna is free.",
        ("The sauna is free.",),
    ),
    (
        "Fees",
        "The club has a hall. For members, the hall is free; the bar costs nothing.",
        ("The bar costs nothing.",),
    ),
    (
        "Bus 9",
        "The bus is red. In winter, the road is icy, so the bus stops at Marn.",
        (
            "The bus stops at Marn.",
            "The road is icy.",
        ),
    ),
    (
        "Panel",
        "The panel has two lamps. The red lamp blinks: the tank is empty.",
        ("The tank is empty.",),
    ),
    (
        "Dusk Road",
        "Dusk Road is a novel. In the novel, the king is mad; the queen rules the land.",
        ("The queen rules the land.",),
    ),
    (
        "Fenwick S24",
        "The Fenwick S24 is a server. It replaced the S20 in 2019. The old model was "
        "noisy. The fans ran at 9,000 rpm.",
        ("The fans of the Fenwick S24 ran at 9,000 rpm.",),
    ),
    (
        "Fenwick S24",
        "The Fenwick S24 is a server. The S20 is still sold. The warranty is one year.",
        (
            "The warranty of the Fenwick S24 is one year.",
            "In the Fenwick S24, the warranty is one year.",
        ),
    ),
    ("Sheds", "The key is small. The key is kept by the door.", ("The door keeps the key.",)),
    (
        "Work",
        "The mill had 90 workers. The workers were paid by the hour.",
        ("The hour paid the workers.",),
    ),
    (
        "Form",
        "The form has two pages. The form must be signed by Easter.",
        ("Easter must sign the form.",),
    ),
    (
        "Mushroom",
        "The mushroom is brown. The mushroom is edible, cooked for an hour.",
        ("The mushroom is edible.",),
    ),
    ("Rope", "The rope is thin. The rope holds 200 kg, doubled.", ("The rope holds 200 kg.",)),
    (
        "Dryer",
        "Before cleaning, you must not:\n\n- open the lid\n- wash the drum\n",
        (
            "Open the lid.",
            "Wash the drum.",
            "You must open the lid.",
            "The lid must be opened.",
        ),
    ),
    (
        "Fire safety",
        "Never do the following:\n\n1. Pour water into the burning pan.\n2. Carry the "
        "pan outside.\n",
        (
            "Pour water into the burning pan.",
            "Carry the pan outside.",
            "You must carry the pan outside.",
        ),
    ),
    (
        "Warranty",
        "The warranty does not cover:\n\n- The seals are worn.\n- The pump was opened "
        "by the owner.\n",
        ("The seals are worn.",),
    ),
    (
        "Dam inquiry",
        "The report states that the dam is safe. The engineers disagree.",
        ("The dam is safe.",),
    ),
    (
        "Mayor Renn",
        "According to the article, the mayor took bribes. The court found no proof.",
        ("The mayor took bribes.",),
    ),
    (
        "Trial",
        "The book says that the queen poisoned the king. Historians reject this.",
        (
            "The queen poisoned the king.",
            "The king was poisoned by the queen.",
        ),
    ),
    (
        "Dam",
        '"The dam is safe. It will hold for 100 years," the mayor said.',
        (
            "The dam is safe.",
            "The dam will hold for 100 years.",
        ),
    ),
    ("Dam", 'The mayor said: "The dam is safe." An engineer denied it.', ("The dam is safe.",)),
    (
        "Dam",
        "“The water rose by two metres,” the keeper claimed. “Nobody was warned.”",
        (
            "Nobody was warned.",
            "The water rose by two metres.",
        ),
    ),
    (
        "Bulls",
        "Myth: Bulls hate the colour red. Fact: Bulls cannot see red well.",
        ("Bulls hate the colour red.",),
    ),
    (
        "Setup",
        "Wrong: The cable is plugged in first. Right: The cable is plugged in last.",
        ("The cable is plugged in first.",),
    ),
    (
        "Dosage",
        "For children: take two tablets a day. For adults: take four tablets a day.",
        (
            "Take two tablets a day.",
            "Take four tablets a day.",
        ),
    ),
    (
        "Roads",
        "In winter: the pass road is closed. In summer: the pass road is open.",
        (
            "The pass road is closed.",
            "The pass road is open.",
        ),
    ),
    (
        "Heater",
        "If the lamp is red:\n\n- Turn off the heater.\n- Call the service.\n",
        (
            "Turn off the heater.",
            "Call the service.",
            "You must call the service.",
        ),
    ),
    (
        "Heater",
        "Only for trained staff:\n\n- Open the housing.\n- Replace the fuse.\n",
        (
            "Open the housing.",
            "Replace the fuse.",
        ),
    ),
    (
        "Plans",
        "| Feature | Free | Pro |\n| --- | --- | --- |\n| SSO | no | yes |\n| Seats | 5 | 50 |\n",
        (
            "The SSO free is yes.",
            "The free seats are 50.",
            "Free has 50 seats.",
            "Pro has 5 seats.",
        ),
    ),
    (
        "Pumps",
        "| Pump | Voltage | Weight |\n| --- | --- | --- |\n| A10 | 12 V | 3 kg |\n| "
        "B20 | 24 V | 5 kg |\n",
        (
            "The A10 weighs 5 kg.",
            "The voltage of the A10 is 24 V.",
            "The weight of the B20 is 3 kg.",
            "The B20 voltage is 12 V.",
            "The A10 has a weight of 5 kg.",
        ),
    ),
    (
        "Lisk school",
        "The school was closed in 1990. A new hall was built.",
        ("The school is closed.",),
    ),
    (
        "Old bridge",
        "The bridge was closed to lorries. In 2001 it was rebuilt.",
        ("The bridge is closed to lorries.",),
    ),
    (
        "Station",
        "Smoking was allowed on the platform until 2003.",
        ("Smoking is allowed on the platform until 2003.",),
    ),
    (
        "Orla",
        "The Orla was the largest ship of the fleet. She sank in 1912.",
        ("The Orla is the largest ship of the fleet.",),
    ),
    (
        "Harbour plan",
        "The old crane will be demolished. The quay will be widened.",
        (
            "The old crane was demolished.",
            "The old crane has been demolished.",
            "The quay has been widened.",
        ),
    ),
    (
        "Dam",
        "The dam is being built. It will supply water to Lisk.",
        (
            "The dam is built.",
            "The dam has been built.",
            "The dam supplied water to Lisk.",
            "The dam was built.",
        ),
    ),
    (
        "Ada Lind",
        "Ada Lind was married to Otto Renn. They divorced in 1950.",
        ("Ada Lind is married to Otto Renn.",),
    ),
    (
        "Mill",
        "The mill belonged to the abbey. It was sold in 1803.",
        ("The mill belongs to the abbey.",),
    ),
    ("Lead", "Lead was used in petrol. It is banned now.", ("Lead is used in petrol.",)),
    ("Club", "The club had 400 members. Today it has 90.", ("The club has 400 members.",)),
    (
        "Mushroom basket",
        "The mushrooms in the basket were picked at Lisk. The mushrooms are edible.",
        (
            "Mushrooms are edible.",
            "A mushroom is edible.",
        ),
    ),
    (
        "Rex",
        "Rex is a guard dog. The dog is dangerous.",
        (
            "Dogs are dangerous.",
            "A dog is dangerous.",
        ),
    ),
    (
        "Dose",
        "Take a tablet with water.",
        (
            "Take tablets with water.",
            "Take the tablets with water.",
        ),
    ),
    (
        "Hut",
        "The hut has a window. The hut has a stove.",
        (
            "The hut has windows.",
            "The huts have windows.",
        ),
    ),
    (
        "Recipe",
        "Add an egg to the dough.",
        (
            "Add eggs to the dough.",
            "Add the eggs to the dough.",
        ),
    ),
    (
        "Border",
        "You need a photo and a form.",
        (
            "You need photos and forms.",
            "You need photos and a form.",
        ),
    ),
    ("Bus 9", "These buses are free. Other buses cost 2 euros.", ("Buses are free.",)),
    (
        "Washer",
        "The lid is locked. The drum turns.",
        (
            "The lid is locked while the drum turns.",
            "The lid is locked, so the drum turns.",
            "The lid is locked, because the drum turns.",
            "The lid is locked when the drum turns.",
            "The lid is locked and therefore the drum turns.",
            "The lid is locked, and as a result the drum turns.",
            "The lid is locked, thus the drum turns.",
            "Because the lid is locked, the drum turns.",
            "As the lid is locked, the drum turns.",
        ),
    ),
    (
        "Lisk",
        "The mill closed in 1950. The school opened in 1930.",
        (
            "The mill closed and then the school opened.",
            "The mill closed before the school opened.",
            "The mill closed and the school opened later.",
            "First the mill closed, then the school opened.",
        ),
    ),
    (
        "Panel",
        "The lamp is green. The door is open.",
        (
            "The lamp is green: the door is open.",
            "The lamp is green if the door is open.",
            "The door is open while the lamp is green.",
        ),
    ),
    (
        "Shop",
        "The shop is open on Sunday. The water is hot.",
        (
            "The shop is still open on Sunday.",
            "The shop is already open on Sunday.",
            "The water is too hot.",
            "The shop is now open on Sunday.",
            "Only the shop is open on Sunday.",
            "The shop is only open on Sunday.",
            "The shop is open even on Sunday.",
            "The shop is always open on Sunday.",
        ),
    ),
    (
        "Mill",
        "The mill was a school. The tower was a prison.",
        (
            "The mill is now a school.",
            "The tower is still a prison.",
        ),
    ),
    ("Hall", "Dogs are allowed, not in the hall.", ("Dogs are allowed.",)),
    ("Drug", "Take the capsule, not with milk.", ("Take the capsule.",)),
    ("Plant", "Water the plant, not too much.", ("Water the plant.",)),
    ("Bus", "The ticket is valid, not on the night bus.", ("The ticket is valid.",)),
    ("Club", "Guests may use the pool, not the sauna.", ("Guests may use the sauna.",)),
    ("Swim", "Children may swim, not without an adult.", ("Children may swim.",)),
    (
        "Safe",
        "The safe opens with a key and a code.",
        (
            "The safe opens with a key.",
            "The safe opens with a code.",
        ),
    ),
    (
        "Therapy",
        "The infection is treated with rifampicin and isoniazid.",
        ("The infection is treated with rifampicin.",),
    ),
    ("Glue", "The glue hardens with water and air.", ("The glue hardens with water.",)),
    (
        "Visa",
        "You get a visa for a passport and a fee of 30 euros.",
        ("You get a visa for a passport.",),
    ),
    (
        "Loan",
        "The loan is granted by two directors and the chairman.",
        ("The loan is granted by the chairman.",),
    ),
    (
        "Engines",
        "The new engine is 20 % faster than the old one.",
        ("The old one is 20 % slower than the new engine.",),
    ),
    (
        "Trains",
        "The express costs 50 % more than the local train.",
        ("The local train costs 50 % less than the express.",),
    ),
    (
        "Cables",
        "Copper cable is heavier than fibre but cheaper than silver cable.",
        (
            "Fibre is heavier than copper cable.",
            "Silver cable is cheaper than copper cable.",
            "Copper cable is heavier than silver cable.",
        ),
    ),
    (
        "Rivers",
        "The Orla is longer than the Venn and the Sark.",
        (
            "The Venn is longer than the Orla.",
            "The Orla is longer than the Venn and shorter than the Sark.",
        ),
    ),
    (
        "Tests",
        "Model A failed in more tests than model B.",
        (
            "Model B failed in more tests than model A.",
            "Model A failed in more than model B tests.",
        ),
    ),
    (
        "Sales",
        "In 2020 the shop sold more bread than cake.",
        (
            "In 2020 the shop sold more cake than bread.",
            "The shop sold more bread than cake.",
        ),
    ),
    (
        "Drugs",
        "The drug is as effective as aspirin.",
        (
            "The drug is more effective than aspirin.",
            "Aspirin is less effective than the drug.",
        ),
    ),
    (
        "Fan",
        "The fan stops the pump if it is hot.",
        (
            "The fan that is hot stops the pump.",
            "If the fan is hot, it stops the pump.",
            "The fan stops if it is hot.",
        ),
    ),
    (
        "Valve",
        "The valve closes the pipe when it leaks. The pipe is made of lead.",
        (
            "The valve that leaks closes the pipe.",
            "If the valve leaks, it closes the pipe.",
        ),
    ),
    (
        "Otto Renn",
        "Otto Renn worked with Karl Voss. He won the prize in 1931.",
        (
            "Otto Renn won the prize in 1931.",
            "Karl Voss won the prize in 1931.",
        ),
    ),
    (
        "Ada Lind",
        "Ada Lind taught Eva Stern. She became a judge in 1950.",
        (
            "Ada Lind became a judge in 1950.",
            "Eva Stern became a judge in 1950.",
        ),
    ),
    (
        "Contract",
        "The tenant pays the landlord. He repairs the roof.",
        (
            "The tenant repairs the roof.",
            "The landlord repairs the roof.",
        ),
    ),
    (
        "Server",
        "The client sends the token to the server. It is deleted after an hour.",
        (
            "The client is deleted after an hour.",
            "The token is deleted after an hour.",
            "The server is deleted after an hour.",
        ),
    ),
    (
        "Linnet gateway",
        "The Linnet gateway has two ports. Another vendor sells a gateway for 500 euros.",
        (
            "Another vendor sells the Linnet gateway for 500 euros.",
            "The Linnet gateway costs 500 euros.",
        ),
    ),
    (
        "Linnet gateway",
        "The Linnet gateway has two ports. Gateways fail after three years on average.",
        ("The Linnet gateway fails after three years on average.",),
    ),
    (
        "Setting up the Linnet gateway",
        "The Linnet gateway is small. A gateway must be approved by the city.",
        ("A Linnet gateway must be approved by the city.",),
    ),
    (
        "Tarn Lodge",
        "Tarn Lodge has 20 rooms. A lodge in the valley was burned in 1920.",
        ("Tarn Lodge was burned in 1920.",),
    ),
    (
        "Alloys",
        "Brass contains zinc. Bronze contains tin and resists salt water.",
        (
            "Brass contains tin.",
            "Brass resists salt water.",
            "Brass contains zinc and resists salt water.",
            "Bronze contains zinc and tin.",
        ),
    ),
    (
        "League",
        "Lisk won the cup in 1990. Marn won the league in 1991.",
        (
            "Lisk won the cup and the league.",
            "Lisk won the league in 1991.",
            "Marn won the cup in 1990.",
            "Lisk won the cup in 1991.",
        ),
    ),
    (
        "Trials",
        "In the first trial, 40 patients took part. In the second trial, 25 patients recovered.",
        (
            "In the first trial, 25 patients recovered.",
            "40 patients recovered.",
            "In the first trial, 40 patients took part and 25 patients recovered.",
        ),
    ),
    (
        "Bread",
        "Knead the dough for 10 minutes. Bake the bread for 40 minutes.",
        (
            "Knead the dough for 40 minutes.",
            "Bake the dough for 10 minutes.",
            "Bake the bread for 40 minutes, then knead the dough for 10 minutes.",
            "Bake the bread for 40 minutes before you knead the dough for 10 minutes.",
        ),
    ),
    (
        "Ports",
        "Port 80 serves HTTP. Port 443 serves HTTPS. Port 22 is closed.",
        (
            "Port 22 serves HTTP.",
            "Port 443 serves HTTP.",
            "Port 80 is closed.",
            "Ports 80 and 443 are closed.",
        ),
    ),
    (
        "Fauna",
        "Foxes, badgers and owls live in the wood, and otters live in the river.",
        (
            "Otters live in the wood.",
            "Foxes live in the river.",
            "Owls and otters live in the river.",
            "Foxes, badgers and otters live in the wood.",
        ),
    ),
    (
        "Menu",
        "Soup and bread are free on Monday, and cake is free on Sunday.",
        (
            "Cake is free on Monday.",
            "Soup is free on Sunday.",
            "Soup, bread and cake are free on Monday.",
        ),
    ),
    (
        "Vaccines",
        "The clinic offers flu shots in autumn and tetanus shots all year.",
        (
            "The clinic offers flu shots all year.",
            "The clinic offers tetanus shots in autumn.",
            "The clinic offers flu shots.",
        ),
    ),
    (
        "Fees",
        "Members and students or pensioners enter free.",
        (
            "Students enter free.",
            "Members and pensioners enter free.",
        ),
    ),
    (
        "Admission",
        "You need a passport and a visa or a residence card.",
        (
            "You need a passport and a visa.",
            "You need a residence card.",
            "You need a visa.",
        ),
    ),
    (
        "Pump",
        "The pump moves 40 litres per minute.",
        (
            "The pump moves 40 litres per hour.",
            "The pump moves 40 litres.",
            "The pump moves 40 litres per second.",
        ),
    ),
    (
        "Salary",
        "The guard earns 20 euros an hour.",
        (
            "The guard earns 20 euros a day.",
            "The guard earns 20 euros.",
        ),
    ),
    (
        "Storage",
        "The drive holds 4 TB. The cache holds 512 KB.",
        (
            "The drive holds 4 TiB.",
            "The cache holds 512 KiB.",
            "The drive holds 4 GB.",
            "The drive holds 4 Tb.",
        ),
    ),
    (
        "Line",
        "The line carries 10 Gbit/s.",
        (
            "The line carries 10 GB/s.",
            "The line carries 10 Gbit.",
        ),
    ),
    (
        "Dose",
        "The dose is 5 mg per kg of body weight.",
        (
            "The dose is 5 mg.",
            "The dose is 5 mg per kg.",
            "The dose is 5 g per kg of body weight.",
        ),
    ),
    (
        "Interest",
        "The rate rose by 2 percentage points to 5 %.",
        (
            "The rate rose by 2 % to 5 %.",
            "The rate rose by 5 %.",
            "The rate rose to 2 %.",
        ),
    ),
    (
        "Fever",
        "The temperature rose to 39 °C.",
        (
            "The temperature rose by 39 °C.",
            "The temperature rose to 39 °F.",
            "The temperature rose from 39 °C.",
        ),
    ),
    (
        "Opening",
        "The bank opens at 9 a.m. and closes at 5 p.m.",
        (
            "The bank opens at 9 p.m.",
            "The bank closes at 5 a.m.",
            "The bank opens at 5 p.m.",
            "The bank opens at 9:30 a.m.",
        ),
    ),
    (
        "Rent",
        "The rent is due on the 3rd of each month.",
        (
            "The rent is due on the 3rd of March.",
            "The rent is due every 3 months.",
        ),
    ),
    (
        "Notice",
        "Notice must be given three months before the end of the year.",
        (
            "Notice must be given three months before the end of the month.",
            "Notice must be given three months after the end of the year.",
            "Notice must be given before the end of the year.",
        ),
    ),
    (
        "Deadline",
        "Send the form by 1 May.",
        (
            "Send the form on 1 May.",
            "Send the form after 1 May.",
            "Send the form from 1 May.",
            "Send the form until 1 May.",
            "Send the form before 1 June.",
        ),
    ),
    (
        "Storage",
        "Store the vaccine for up to 30 days at 2 to 8 °C.",
        (
            "Store the vaccine for 30 days at 2 to 8 °C.",
            "Store the vaccine for at least 30 days at 2 to 8 °C.",
            "Store the vaccine for up to 30 days.",
            "Store the vaccine for up to 30 days at 8 °C.",
        ),
    ),
    (
        "Return",
        "Goods may be returned within 14 days of delivery.",
        (
            "Goods may be returned after 14 days of delivery.",
            "Goods may be returned 14 days before delivery.",
            "Goods may be returned within 14 days of payment.",
            "Goods may be returned within 14 days.",
        ),
    ),
    (
        "Drug",
        "Take it every 8 hours for 5 days.",
        (
            "Take it every 5 hours for 8 days.",
            "Take it for 8 hours every 5 days.",
            "Take it every 8 hours.",
        ),
    ),
    (
        "Age",
        "Children aged 6 to 12 pay half.",
        (
            "Children aged 6 or 12 pay half.",
            "Children aged 6 pay half.",
            "Children pay half.",
        ),
    ),
    (
        "Crowd",
        "Some 400 people came.",
        (
            "400 people came.",
            "Over 400 people came.",
        ),
    ),
    (
        "Mould",
        "Mould may cause asthma. Damp can weaken walls.",
        (
            "Mould causes asthma.",
            "Mould must cause asthma.",
            "Damp weakens walls.",
        ),
    ),
    (
        "Tyres",
        "Tyres should be changed after six years.",
        (
            "Tyres must be changed after six years.",
            "Tyres are changed after six years.",
            "Change the tyres after six years.",
        ),
    ),
    (
        "Hearing",
        "The committee may reject the plan.",
        (
            "The committee rejects the plan.",
            "The committee must reject the plan.",
            "The committee can reject the plan without reasons.",
        ),
    ),
    (
        "Warranty",
        "The seller need not replace the part.",
        (
            "The seller must not replace the part.",
            "The seller does not replace the part.",
            "The seller may not replace the part.",
        ),
    ),
    (
        "Bees",
        "Bees could have carried the fungus.",
        (
            "Bees carried the fungus.",
            "Bees can carry the fungus.",
        ),
    ),
    (
        "Comet",
        "The comet is likely to return in 2061.",
        (
            "The comet returns in 2061.",
            "The comet will return in 2061.",
        ),
    ),
    ("Fossil", "The fossil appears to be a bird.", ("The fossil is a bird.",)),
    (
        "Study",
        "The study suggests that tea lowers blood pressure.",
        ("Tea lowers blood pressure.",),
    ),
    (
        "Castle",
        "The castle is believed to be haunted. It is said to have 100 rooms.",
        (
            "The castle is haunted.",
            "The castle has 100 rooms.",
        ),
    ),
    (
        "Plan",
        "The city plans to close the road. It wants to build a tram.",
        (
            "The city closes the road.",
            "The city builds a tram.",
            "The city will close the road.",
        ),
    ),
    (
        "Otto Renn",
        "Otto Renn tried to climb the Sark. He failed to reach the top.",
        (
            "Otto Renn climbed the Sark.",
            "Otto Renn reached the top.",
        ),
    ),
    (
        "Claims",
        "Voss denied that he had sold the ship.",
        (
            "Voss sold the ship.",
            "He had sold the ship.",
        ),
    ),
    ("Law", "The court refused to hear the case.", ("The court heard the case.",)),
    (
        "Merger",
        "The bank agreed to buy the mill.",
        (
            "The bank bought the mill.",
            "The bank buys the mill.",
        ),
    ),
    ("Treaty", "The king promised to free the slaves.", ("The king freed the slaves.",)),
    (
        "Alarm",
        "The alarm sounds unless the key is turned.",
        (
            "The alarm sounds if the key is turned.",
            "The alarm sounds when the key is turned.",
            "The alarm sounds.",
            "The alarm does not sound unless the key is turned.",
        ),
    ),
    (
        "Visa",
        "No visa is needed unless the stay exceeds 90 days.",
        (
            "No visa is needed.",
            "A visa is needed unless the stay exceeds 90 days.",
            "No visa is needed if the stay exceeds 90 days.",
        ),
    ),
    (
        "Oven",
        "Do not open the oven until the timer rings.",
        (
            "Open the oven until the timer rings.",
            "Do not open the oven after the timer rings.",
            "Do not open the oven.",
            "Open the oven when the timer rings.",
        ),
    ),
    (
        "Moss",
        "It is not uncommon to find moss on the north side.",
        (
            "It is uncommon to find moss on the north side.",
            "It is common to find moss on the north side.",
        ),
    ),
    (
        "Access",
        "Nobody but the director has the key.",
        (
            "Nobody has the key.",
            "Nobody and the director has the key.",
        ),
    ),
    (
        "Games",
        "All but two games were lost.",
        (
            "All games were lost.",
            "Two games were lost.",
            "All two games were lost.",
        ),
    ),
    (
        "Rails",
        "Not every station has a lift.",
        (
            "Every station has a lift.",
            "Every station does not have a lift.",
            "No station has a lift.",
        ),
    ),
    (
        "Fish",
        "Hardly any fish survived.",
        (
            "Any fish survived.",
            "Fish survived.",
            "No fish survived.",
        ),
    ),
    (
        "Pupils",
        "Few of the pupils passed.",
        (
            "The pupils passed.",
            "A few of the pupils passed.",
        ),
    ),
    (
        "Votes",
        "Most of the members voted for the plan.",
        (
            "The members voted for the plan.",
            "Members voted for the plan.",
            "All of the members voted for the plan.",
        ),
    ),
    (
        "Cafe",
        "A cup of tea costs 2 euros. A bottle of wine costs 9 euros.",
        (
            "A tea cup costs 2 euros.",
            "A wine bottle costs 9 euros.",
        ),
    ),
    (
        "Snake 3",
        "Python 3.10 is required. The library supports version 2.1.",
        (
            "Python 3.1 is required.",
            "The library supports version 2.10.",
        ),
    ),
    (
        "Door",
        "The code is 0420. Dial 0112 in the valley.",
        (
            "The code is 420.",
            "Dial 112 in the valley.",
        ),
    ),
    ("Frost", "The pump works at -5 °C.", ("The pump works at 5 °C.",)),
    (
        "Config",
        "The option `keys` lists the files. Run `delete` to empty the store.",
        (
            "The option `key` lists the files.",
            "Run `erase` to empty the store.",
            "Run `deletes` to empty the store.",
            "The option `keys` lists the directories.",
        ),
    ),
    (
        "CLI",
        "The `start` command opens a shell. The `tags` field is empty.",
        (
            "The `begin` command opens a shell.",
            "The `tag` field is empty.",
            "The begin command opens a shell.",
        ),
    ),
    (
        "API",
        "`get` returns the user. `large` is the default size.",
        (
            "`receive` returns the user.",
            "`big` is the default size.",
            "`obtain` returns the user.",
        ),
    ),
    (
        "Museum",
        "The museum is open (Monday). The shop is closed (Sunday).",
        (
            "The museum is open.",
            "The shop is closed.",
        ),
    ),
    (
        "Keys",
        "The shortcut is Ctrl+C (Windows). Hold the button (Model B).",
        (
            "The shortcut is Ctrl+C.",
            "Hold the button.",
        ),
    ),
    (
        "Motor",
        "The motor turns at 3000 rpm (12 V). The lamp lasts 900 hours (50 %).",
        (
            "The motor turns at 3000 rpm.",
            "The lamp lasts 900 hours.",
        ),
    ),
    ("Sales", "The pump is the best seller (2019).", ("The pump is the best seller.",)),
    (
        "Safe",
        "The director may open the safe. Doctors may prescribe morphine.",
        (
            "The safe may be opened.",
            "Morphine may be prescribed.",
            "You may open the safe.",
            "Anybody may open the safe.",
        ),
    ),
    (
        "Bridge",
        "The bridge built by Otto Renn was destroyed by Karl Voss.",
        (
            "The bridge was destroyed by Otto Renn.",
            "Otto Renn destroyed the bridge.",
            "The bridge was built by Karl Voss.",
        ),
    ),
    (
        "Letter",
        "The letter written by the queen was stolen by the spy.",
        (
            "The letter was stolen by the queen.",
            "The queen stole the letter.",
            "The spy wrote the letter.",
        ),
    ),
    (
        "Mill",
        "The man who sold the ship bought the mill.",
        (
            "The man bought the ship.",
            "The man sold the mill.",
        ),
    ),
    (
        "Mill",
        "The company that owns the mill closed the school.",
        (
            "The mill closed the school.",
            "The company closed the mill.",
        ),
    ),
    (
        "Otto Renn",
        "Otto Renn's brother built the mill. The widow of Otto Renn sold it.",
        (
            "Otto Renn built the mill.",
            "Otto Renn sold it.",
            "Otto Renn sold the mill.",
        ),
    ),
    (
        "Prices",
        "Tea and coffee cost 2 and 3 euros respectively.",
        (
            "Tea costs 3 euros.",
            "Coffee costs 2 euros.",
            "Tea and coffee cost 2 euros.",
        ),
    ),
    (
        "Pool",
        "Only adults may swim on Monday.",
        (
            "Adults may only swim on Monday.",
            "Adults may swim only on Monday.",
            "Adults may swim on Monday only.",
            "On Monday, adults may only swim.",
        ),
    ),
    (
        "Dam",
        "It looks as if the dam is safe. It is not true that the dam leaks.",
        (
            "The dam is safe.",
            "The dam leaks.",
        ),
    ),
    (
        "Dam",
        "There is no proof that the dam leaks. Nobody knows that the pipe broke.",
        (
            "The dam leaks.",
            "The pipe broke.",
        ),
    ),
    (
        "Dam",
        "Imagine the dam breaks. Suppose that the pipe is blocked.",
        (
            "The dam breaks.",
            "The pipe is blocked.",
        ),
    ),
    (
        "Walk",
        "Take an umbrella in case it rains. Close the window in case of fire.",
        (
            "Take an umbrella when it rains.",
            "Take an umbrella if it rains.",
            "Close the window.",
        ),
    ),
    (
        "Trains",
        "Barring delays, the train arrives at noon. The ferry leaves at 9:00, tide permitting.",
        (
            "The train arrives at noon.",
            "The ferry leaves at 9:00.",
        ),
    ),
    (
        "Rooms",
        "All rooms apart from the attic have a lamp. Every floor other than the first is dry.",
        (
            "All rooms have a lamp.",
            "Every floor is dry.",
            "The attic has a lamp.",
        ),
    ),
    (
        "Pump",
        "The pump is reliable so far. In theory, it lasts 10 years.",
        (
            "The pump is reliable.",
            "It lasts 10 years.",
            "The pump lasts 10 years.",
        ),
    ),
    (
        "Loan",
        "The loan is granted subject to approval. Membership is free pending review.",
        (
            "The loan is granted.",
            "Membership is free.",
        ),
    ),
    (
        "Wood",
        "Oak — if dry — burns well. Ash, even when wet, burns.",
        (
            "Oak burns well.",
            "Ash burns when wet only.",
            "Ash burns only when wet.",
        ),
    ),
    (
        "Gym",
        "Guests may train twice, members as often as they like.",
        (
            "Guests may train as often as they like.",
            "Members may train twice.",
        ),
    ),
    ("Sign", 'The sign says "No dogs are allowed". A guard ignored it.', ("No dogs are allowed.",)),
    (
        "Chess",
        "White moves first, then black.",
        (
            "Black moves first.",
            "Black moves first, then white.",
        ),
    ),
    (
        "Acid",
        "Add the acid to the water, never the water to the acid.",
        (
            "Add the water to the acid.",
            "Never add the acid to the water.",
        ),
    ),
    (
        "Rank",
        "Lisk is the second largest town after Marn.",
        (
            "Lisk is the largest town after Marn.",
            "Lisk is the largest town.",
            "Marn is the second largest town.",
        ),
    ),
    (
        "First",
        "Ada Lind was the first woman to fly over the Sark.",
        (
            "Ada Lind was the first to fly over the Sark.",
            "Ada Lind was the first woman to fly.",
            "Ada Lind was the first woman.",
        ),
    ),
    (
        "Trade",
        "Marn exports wool to Velm and imports salt from Sark.",
        (
            "Marn imports wool from Velm.",
            "Marn exports salt to Sark.",
            "Marn exports wool to Sark.",
            "Marn exports wool and salt.",
        ),
    ),
    (
        "Cells",
        "Red cells carry oxygen; white cells fight infection.",
        (
            "White cells carry oxygen.",
            "Red cells fight infection.",
            "Cells carry oxygen.",
            "Red and white cells fight infection.",
        ),
    ),
    (
        "Heat",
        "Heat expands the rail, so the points jam.",
        (
            "The points jam, so heat expands the rail.",
            "Heat jams the points.",
            "The rail expands because the points jam.",
            "Heat expands the points.",
        ),
    ),
    (
        "War",
        "The famine followed the war. The war led to the loss of the colony.",
        (
            "The war followed the famine.",
            "The loss of the colony led to the war.",
        ),
    ),
    (
        "Inherit",
        "The daughter inherited the farm from the aunt.",
        (
            "The aunt inherited the farm from the daughter.",
            "The aunt inherited the farm.",
        ),
    ),
    (
        "Loan",
        "The bank lent the farmer 900 euros at 3 %.",
        (
            "The farmer lent the bank 900 euros at 3 %.",
            "The bank lent 3 % to the farmer.",
        ),
    ),
    (
        "Teams",
        "Lisk beat Marn 3-1 in the final.",
        (
            "Marn beat Lisk 3-1 in the final.",
            "Lisk beat Marn 1-3 in the final.",
            "Lisk was beaten by Marn 3-1 in the final.",
        ),
    ),
    (
        "Chairs",
        "Eva Stern succeeded Otto Renn as chair in 1950.",
        (
            "Otto Renn succeeded Eva Stern as chair in 1950.",
            "Otto Renn became chair in 1950.",
        ),
    ),
    (
        "Body",
        "The heart of the whale weighs 180 kg. The tail is 5 m wide.",
        (
            "The whale weighs 180 kg.",
            "The whale is 5 m wide.",
            "The tail of the whale weighs 180 kg.",
        ),
    ),
    (
        "Town",
        "The centre of Lisk is car-free. The north of Velm was flooded.",
        (
            "Lisk is car-free.",
            "Velm was flooded.",
        ),
    ),
    (
        "Flat",
        "The kitchen of the flat has no window.",
        (
            "The flat has no window.",
            "The kitchen has windows.",
        ),
    ),
    (
        "Dialog",
        "The nurse told the doctor that the patient slept.",
        (
            "The doctor told the nurse that the patient slept.",
            "The patient slept.",
            "The nurse slept.",
        ),
    ),
    (
        "Speech",
        "Otto Renn called the plan a mistake. Eva Stern praised it.",
        (
            "The plan was a mistake.",
            "Eva Stern called the plan a mistake.",
            "The plan is a mistake.",
        ),
    ),
    (
        "Will",
        "The house goes to Karl if he marries, otherwise to Eva.",
        (
            "The house goes to Karl.",
            "The house goes to Eva.",
            "The house goes to Eva if he marries.",
        ),
    ),
    (
        "Permit",
        "A permit is required for fires but not for lamps.",
        (
            "A permit is required for lamps.",
            "A permit is not required for fires.",
            "A permit is required.",
            "A permit is required for fires and lamps.",
        ),
    ),
    (
        "Tax",
        "The tax applies to profits over 5,000 euros.",
        (
            "The tax applies to profits.",
            "The tax applies to profits under 5,000 euros.",
            "The tax applies to profits of 5,000 euros.",
        ),
    ),
    (
        "Limits",
        "Lorries over 7.5 t may not use the bridge between 22:00 and 6:00.",
        (
            "Lorries may not use the bridge between 22:00 and 6:00.",
            "Lorries over 7.5 t may not use the bridge.",
            "Lorries over 7.5 t may use the bridge between 22:00 and 6:00.",
            "Lorries over 7.5 t may not use the bridge between 6:00 and 22:00.",
        ),
    ),
    (
        "Reagents",
        "Sodium reacts with water to form hydrogen.",
        (
            "Hydrogen reacts with water to form sodium.",
            "Water reacts with hydrogen to form sodium.",
            "Sodium forms water.",
            "Sodium reacts with hydrogen to form water.",
        ),
    ),
    (
        "Acids",
        "The acid is strong but does not attack glass.",
        (
            "The acid attacks glass.",
            "The acid is not strong.",
            "The acid is strong and attacks glass.",
        ),
    ),
    (
        "Yeast",
        "Proof the yeast in warm, not hot, water.",
        (
            "Proof the yeast in hot water.",
            "Proof the yeast in water.",
        ),
    ),
    (
        "Roast",
        "Roast the meat covered for an hour, then uncovered for 20 minutes.",
        (
            "Roast the meat covered for 20 minutes.",
            "Roast the meat uncovered for an hour.",
            "Roast the meat for an hour.",
            "Roast the meat uncovered for 20 minutes, then covered for an hour.",
        ),
    ),
    (
        "Rice",
        "Use twice as much water as rice.",
        (
            "Use twice as much rice as water.",
            "Use as much water as rice.",
        ),
    ),
    (
        "Fund",
        "The fund returned 4 % before fees in 2019.",
        (
            "The fund returned 4 % in 2019.",
            "The fund returned 4 % after fees in 2019.",
            "The fund returned 4 % before fees in 2018.",
        ),
    ),
    (
        "Bond",
        "The bond pays 3 % until 2030 and 2 % afterwards.",
        (
            "The bond pays 2 % until 2030.",
            "The bond pays 3 %.",
            "The bond pays 3 % afterwards.",
            "The bond pays 2 %.",
        ),
    ),
    (
        "Lease",
        "The lease ends in 2030 at the earliest.",
        (
            "The lease ends in 2030.",
            "The lease ends in 2030 at the latest.",
        ),
    ),
    (
        "Lift",
        "The lift carries no more than eight people.",
        (
            "The lift carries eight people.",
            "The lift carries more than eight people.",
            "The lift carries no people.",
            "The lift carries at least eight people.",
        ),
    ),
    (
        "Lease",
        "The landlord must repair the roof. The caretaker must lock the gate.",
        (
            "You must repair the roof.",
            "Repair the roof.",
            "Lock the gate.",
            "You must lock the gate.",
            "The gate must lock the caretaker.",
        ),
    ),
    (
        "Lab",
        "The supervisor should check the scale.",
        (
            "You should check the scale.",
            "Check the scale.",
        ),
    ),
    ("Ward", "Nurses can order the test.", ("You can order the test.",)),
    ("Team", "The captain can change the order.", ("You can change the order.",)),
    (
        "Filter",
        "Change the filter to protect the pump.",
        (
            "Protect the pump to change the filter.",
            "Change the pump to protect the filter.",
        ),
    ),
    (
        "Vent",
        "The vent is opened to cool the room.",
        (
            "The room is cooled to open the vent.",
            "The room is opened to cool the vent.",
        ),
    ),
    (
        "Rail",
        "The train stopped because the signal failed.",
        (
            "The signal failed because the train stopped.",
            "The train failed because the signal stopped.",
        ),
    ),
    ("Fog", "Because of fog, flights were cancelled.", ("Because of flights, fog was cancelled.",)),
    ("Crop", "Drought caused the famine.", ("The famine caused the drought.",)),
    (
        "Trade",
        "Falling prices led farmers to sell land.",
        (
            "Farmers led prices to sell land.",
            "Farmers sold land.",
        ),
    ),
    (
        "Siege",
        "The town fell before the army arrived.",
        (
            "The army arrived before the town fell.",
            "The town fell after the army arrived.",
            "The town fell when the army arrived.",
        ),
    ),
    (
        "Setup",
        "Install the driver, then connect the printer.",
        (
            "Connect the printer, then install the driver.",
            "Connect the printer before you install the driver.",
        ),
    ),
    (
        "Cake",
        "Let the cake cool before you cut it.",
        (
            "Cut the cake before you let it cool.",
            "Let the cake cool after you cut it.",
            "Cut the cake.",
        ),
    ),
    (
        "Career",
        "She was a nurse before she was a judge.",
        ("She was a judge before she was a nurse.",),
    ),
    (
        "Boot",
        "After the update, the router restarts twice.",
        (
            "Before the update, the router restarts twice.",
            "The router restarts twice.",
        ),
    ),
    (
        "Dam",
        "The lake has been closed since 1990.",
        (
            "The lake has been closed until 1990.",
            "The lake was closed before 1990.",
            "The lake is closed since 1980.",
        ),
    ),
    (
        "Offer",
        "The offer holds until Friday.",
        (
            "The offer holds from Friday.",
            "The offer holds since Friday.",
            "The offer holds by Friday.",
            "The offer holds after Friday.",
            "The offer holds on Friday.",
        ),
    ),
    (
        "Refund",
        "The refund is paid within ten days.",
        (
            "The refund is paid after ten days.",
            "The refund is paid for ten days.",
            "The refund is paid in more than ten days.",
            "The refund is paid every ten days.",
        ),
    ),
    (
        "Cure",
        "Cure the resin for at least 24 hours below 30 °C.",
        (
            "Cure the resin for 24 hours below 30 °C.",
            "Cure the resin for at least 24 hours above 30 °C.",
            "Cure the resin for at most 24 hours below 30 °C.",
            "Cure the resin for at least 24 hours.",
        ),
    ),
    (
        "Members",
        "Some members of the club own a boat.",
        (
            "Members of the club own a boat.",
            "All members of the club own a boat.",
            "The members of the club own a boat.",
        ),
    ),
    (
        "Species",
        "Several species of frog are poisonous.",
        (
            "Species of frog are poisonous.",
            "Frogs are poisonous.",
            "All species of frog are poisonous.",
        ),
    ),
    (
        "Votes",
        "Two thirds of the voters stayed at home.",
        (
            "Two thirds of the voters voted at home.",
            "The voters stayed at home.",
            "A third of the voters stayed at home.",
            "Two of the voters stayed at home.",
        ),
    ),
    (
        "Jury",
        "Neither juror voted for the plan.",
        (
            "A juror voted for the plan.",
            "Both jurors voted for the plan.",
            "Either juror voted for the plan.",
        ),
    ),
    (
        "Keys",
        "Each guard has one key, and no guard has two.",
        (
            "Each guard has two.",
            "Each guard has two keys.",
            "No guard has one key.",
        ),
    ),
    (
        "Ages",
        "Nearly half of the houses are empty.",
        (
            "Half of the houses are empty.",
            "The houses are empty.",
            "Over half of the houses are empty.",
        ),
    ),
    (
        "Rare",
        "The bird rarely sings at night.",
        (
            "The bird sings at night.",
            "The bird never sings at night.",
            "The bird often sings at night.",
        ),
    ),
    (
        "Milk",
        "Milk usually keeps for a week.",
        (
            "Milk keeps for a week.",
            "Milk always keeps for a week.",
        ),
    ),
    ("Bus", "Buses mostly run on time.", ("Buses run on time.",)),
    ("Gold", "The ring is partly gold.", ("The ring is gold.",)),
    ("Ice", "The lake almost froze.", ("The lake froze.",)),
    (
        "Test",
        "The test is not always reliable.",
        (
            "The test is always reliable.",
            "The test is not reliable.",
            "The test is never reliable.",
        ),
    ),
    (
        "Parking",
        "Parking is free except on market days.",
        (
            "Parking is free.",
            "Parking is free on market days.",
        ),
    ),
    (
        "Rules",
        "Pets are forbidden, guide dogs excepted.",
        (
            "Pets are forbidden.",
            "Guide dogs are forbidden.",
        ),
    ),
    (
        "Visa",
        "Citizens of Velm, unlike those of Marn, need no visa.",
        (
            "Citizens of Marn need no visa.",
            "Citizens of Velm need a visa.",
        ),
    ),
    (
        "Cover",
        "The policy covers theft, but not of bicycles.",
        (
            "The policy covers theft of bicycles.",
            "The policy covers theft.",
        ),
    ),
    (
        "Hours",
        "The office is open daily from 9 to 5, closed on Tuesdays.",
        ("The office is open daily from 9 to 5.",),
    ),
    (
        "Diet",
        "Eat anything but nuts.",
        (
            "Eat nuts.",
            "Eat anything.",
        ),
    ),
    (
        "Entry",
        "Entry is free for all but groups.",
        (
            "Entry is free for all.",
            "Entry is free for groups.",
            "Entry is free.",
        ),
    ),
    (
        "Store",
        "Everything except the lamp is on sale.",
        (
            "Everything is on sale.",
            "The lamp is on sale.",
        ),
    ),
    (
        "Crew",
        "The whole crew save the cook drowned.",
        (
            "The whole crew drowned.",
            "The cook drowned.",
        ),
    ),
    (
        "Orgs",
        "The WHO approved the drug, the FDA did not.",
        (
            "The FDA approved the drug.",
            "The WHO did not approve the drug.",
            "The drug was approved by the FDA.",
        ),
    ),
    (
        "Towns",
        "New Harwen has a port. Harwen has a mill.",
        (
            "Harwen has a port.",
            "New Harwen has a mill.",
        ),
    ),
    (
        "Kings",
        "Otto II built the castle. Otto III burned it.",
        (
            "Otto III built the castle.",
            "Otto II burned it.",
            "Otto II burned the castle.",
            "Otto built the castle.",
        ),
    ),
    (
        "Parts",
        "Bolt M8 holds the arm. Bolt M6 holds the lid.",
        (
            "Bolt M6 holds the arm.",
            "Bolt M8 holds the lid.",
            "M8 and M6 hold the lid.",
        ),
    ),
    (
        "Drugs",
        "Prednisone is taken in the morning; prednisolone is taken at night.",
        (
            "Prednisolone is taken in the morning.",
            "Prednisone is taken at night.",
        ),
    ),
    (
        "Units",
        "Ward 3A is on the second floor. Ward 3B is on the third floor.",
        (
            "Ward 3B is on the second floor.",
            "Ward 3A is on the third floor.",
            "Ward 3 is on the second floor.",
        ),
    ),
    (
        "Case",
        "The court of Lisk acquitted Voss. The court of Marn convicted Stern.",
        (
            "The court of Marn acquitted Voss.",
            "The court of Lisk convicted Stern.",
            "Voss was convicted.",
        ),
    ),
    (
        "Debate",
        "Renn said the tax was unfair. Stern said the tax was needed.",
        (
            "The tax was unfair.",
            "The tax was needed.",
            "Stern said the tax was unfair.",
            "Renn said the tax was needed.",
            "Renn and Stern said the tax was unfair.",
        ),
    ),
    (
        "Review",
        "Critics called the film a triumph.",
        (
            "The film was a triumph.",
            "Critics triumphed.",
            "The film is a triumph.",
        ),
    ),
    (
        "Witness",
        "A witness testified that the driver was drunk.",
        (
            "The driver was drunk.",
            "The witness was drunk.",
        ),
    ),
    (
        "Legend",
        "Legend has it that a dragon sleeps under the hill.",
        ("A dragon sleeps under the hill.",),
    ),
    ("Label", "The label reads: keep away from children.", ("Keep away from children.",)),
    ("Ad", "According to its maker, the cream removes wrinkles.", ("The cream removes wrinkles.",)),
    (
        "Paper",
        "The paper reported on Monday that the bank had failed.",
        (
            "The bank had failed.",
            "The bank failed on Monday.",
            "The bank failed.",
        ),
    ),
    (
        "Belief",
        "People once thought that the earth was flat.",
        (
            "The earth was flat.",
            "The earth is flat.",
            "People think that the earth is flat.",
        ),
    ),
    (
        "Order",
        "The judge ordered the firm to pay 900 euros.",
        (
            "The firm paid 900 euros.",
            "The judge paid 900 euros.",
            "The firm ordered the judge to pay 900 euros.",
        ),
    ),
    (
        "Advice",
        "Doctors advise against running after the operation.",
        (
            "Doctors advise running after the operation.",
            "Run after the operation.",
        ),
    ),
    (
        "Ban",
        "The law forbids fishing in May.",
        (
            "The law forbids fishing.",
            "The law allows fishing in May.",
            "Fishing is forbidden.",
        ),
    ),
    (
        "Try",
        "The engineers hope to finish the tunnel in 2030.",
        (
            "The engineers finish the tunnel in 2030.",
            "The tunnel will be finished in 2030.",
            "The engineers will finish the tunnel in 2030.",
        ),
    ),
    (
        "Thermostat manual",
        "To reset the thermostat, hold the round button for ten seconds while the "
        "display is on. If the display is off, press the round button once first. The "
        "reset does not delete the weekly program.",
        (
            "To reset the thermostat, hold the round button for ten seconds.",
            "Hold the round button for ten seconds while the display is off.",
            "The reset deletes the weekly program.",
            "Press the round button once.",
            "Press the round button once first.",
            "To reset the thermostat, press the round button once.",
        ),
    ),
    (
        "Amoxicillin leaflet",
        "Adults take 500 mg three times a day. Children under 40 kg take a dose that "
        "depends on their weight. Do not take the capsules if you are allergic to "
        "penicillin. The capsules may be taken with or without food.",
        (
            "Children take 500 mg three times a day.",
            "Take 500 mg three times a day.",
            "Children take a dose that depends on their weight.",
            "Do not take the capsules.",
            "The capsules may be taken without food only.",
            "The capsules must be taken with food.",
            "The capsules may be taken with food and milk.",
        ),
    ),
    (
        "Tenancy",
        "The tenant may end the contract with three months' notice. The landlord may "
        "end it only for one of the reasons in section 4. Rent is due on the third "
        "working day of the month. The deposit is at most three months' rent.",
        (
            "The landlord may end the contract with three months' notice.",
            "The tenant may end it only for one of the reasons in section 4.",
            "The landlord may end it.",
            "The tenant may end the contract.",
            "Rent is due on the third day of the month.",
            "The deposit is three months' rent.",
            "The contract may be ended with three months' notice.",
        ),
    ),
    (
        "Lisk United",
        "Lisk United won the league in 1988 and the cup in 1990, when Otto Renn was "
        "captain. Karl Voss scored 31 goals in the 1988 season. The club has not won a "
        "title since.",
        (
            "Lisk United won the cup in 1988.",
            "Lisk United won the league in 1990.",
            "Otto Renn scored 31 goals in the 1988 season.",
            "Karl Voss was captain in 1990.",
            "Lisk United won the league in 1988, when Otto Renn was captain.",
            "The club has won a title since.",
            "Karl Voss scored 31 goals in 1990.",
        ),
    ),
    (
        "Cache",
        "The cache is emptied every night unless `keep` is set. Entries larger than 2 "
        "MB are never cached. By default, the cache uses half of the memory, but no "
        "more than 4 GB.",
        (
            "The cache is emptied every night.",
            "The cache is emptied every night if `keep` is set.",
            "Entries larger than 2 MB are cached.",
            "Entries are never cached.",
            "The cache uses half of the memory.",
            "By default, the cache uses half of the memory.",
            "By default, the cache uses 4 GB.",
        ),
    ),
    (
        "Sourdough",
        "Feed the starter with 50 g of flour and 50 g of water twice a day. After five "
        "days it should double within four hours. Bake the loaf at 240 °C for 20 "
        "minutes with steam and at 200 °C for 25 minutes without steam.",
        (
            "Feed the starter with 50 g of flour twice a day.",
            "Feed the starter once a day.",
            "After five days it must double within four hours.",
            "Bake the loaf at 240 °C for 25 minutes.",
            "Bake the loaf at 200 °C for 25 minutes with steam.",
            "Bake the loaf at 240 °C for 20 minutes.",
            "Bake the loaf at 200 °C for 25 minutes.",
        ),
    ),
    (
        "Otter",
        "The otter eats mainly fish, but in winter it also takes frogs and, rarely, "
        "birds. Females raise two or three cubs a year without the help of the male. "
        "Cubs leave the den at ten weeks.",
        (
            "The otter eats fish.",
            "The otter eats mainly fish and birds.",
            "In winter the otter eats mainly frogs.",
            "The male raises two or three cubs a year.",
            "Females raise two or three cubs a year with the help of the male.",
            "Females raise two or three cubs.",
            "Females leave the den at ten weeks.",
        ),
    ),
    (
        "Fund",
        "The fund charges 0.5 % a year. If it beats the index, it charges a further 10 "
        "% of the gain. Investors can sell units on the first Monday of each month. "
        "Orders that arrive after noon are carried out a month later.",
        (
            "The fund charges 10 % a year.",
            "The fund charges a further 10 % of the gain.",
            "It charges a further 10 % of the gain.",
            "Investors can sell units on each Monday of the month.",
            "Investors can sell units.",
            "Orders are carried out a month later.",
            "Orders that arrive before noon are carried out a month later.",
        ),
    ),
    (
        "Line 7",
        "Trams of line 7 run every 10 minutes on weekdays and every 20 minutes on "
        "Sundays. Between midnight and 5:00, a bus replaces the tram. Bicycles are "
        "carried free of charge outside the rush hour.",
        (
            "Trams of line 7 run every 10 minutes on Sundays.",
            "Trams of line 7 run every 20 minutes on weekdays.",
            "A bus replaces the tram.",
            "The tram replaces a bus between midnight and 5:00.",
            "Bicycles are carried free of charge.",
            "Bicycles are carried free of charge in the rush hour.",
            "Trams of line 7 run every 10 minutes.",
        ),
    ),
    (
        "Chlorine",
        "Chlorine reacts with ammonia to form toxic gases. Never mix bleach with "
        "cleaners that contain acid. In water, chlorine kills most bacteria within a "
        "minute, but some parasites survive for days.",
        (
            "Ammonia is a toxic gas.",
            "Never mix bleach with cleaners.",
            "Chlorine kills most bacteria within a minute.",
            "In water, chlorine kills bacteria within a minute.",
            "In water, chlorine kills some parasites within a minute.",
            "Parasites survive for days.",
            "In water, chlorine kills most bacteria.",
        ),
    ),
    (
        "Velm",
        "Velm was founded in 1312 by monks from Sark. The monks built the church in "
        "1340 and the bridge in 1352. The bridge was swept away in 1498 and rebuilt by "
        "the town. The church burned down in 1610.",
        (
            "The monks rebuilt the bridge.",
            "The bridge was built in 1340.",
            "The church was swept away in 1498.",
            "Velm was founded in 1312 by the town.",
            "The town built the bridge in 1352.",
            "The bridge burned down in 1610.",
            "The church was rebuilt by the town.",
            "The bridge was rebuilt in 1498.",
        ),
    ),
    (
        "Solar",
        "A panel delivers up to 400 W in full sun. On cloudy days the output falls to "
        "a quarter. The inverter switches off above 60 °C and starts again below 50 "
        "°C. Snow should be removed with a soft broom only.",
        (
            "A panel delivers 400 W.",
            "A panel delivers 400 W in full sun.",
            "A panel delivers up to 400 W.",
            "The output falls to a quarter.",
            "The inverter switches off below 50 °C.",
            "The inverter starts again above 60 °C.",
            "Snow must be removed with a soft broom.",
            "Snow should be removed.",
            "Snow should be removed with a soft broom.",
        ),
    ),
    (
        "Insurance",
        "The policy pays for theft if the door was locked. It does not pay for theft "
        "from a car between 22:00 and 6:00. Claims must be made within a week, and the "
        "police must be told at once.",
        (
            "The policy pays for theft.",
            "It does not pay for theft from a car.",
            "The policy pays for theft from a car between 22:00 and 6:00.",
            "The police must be told within a week.",
            "Claims must be made at once.",
            "The policy does not pay for theft.",
            "Claims must be made to the police within a week.",
        ),
    ),
    (
        "Kiln",
        "The kiln may be opened at 80 °C or less. Open the upper vent first and the "
        "lower vent an hour later. Never leave both vents open overnight.",
        (
            "The kiln may be opened at 80 °C or more.",
            "The kiln may be opened at 80 °C.",
            "The kiln may be opened.",
            "Open the lower vent first.",
            "Open the lower vent an hour later and the upper vent first.",
            "Never leave a vent open overnight.",
            "Leave both vents open overnight.",
        ),
    ),
    (
        "Ada Lind",
        "Ada Lind studied in Velm and taught in Marn until 1960. Her book on moss won "
        "a prize in 1955. Her brother Karl illustrated it. He died in 1970.",
        (
            "Ada Lind taught in Velm until 1960.",
            "Ada Lind studied in Marn.",
            "Ada Lind won a prize in 1955.",
            "Ada Lind illustrated it.",
            "Ada Lind died in 1970.",
            "Ada Lind taught in Marn since 1960.",
            "Karl won a prize in 1955.",
        ),
    ),
    (
        "Permissions",
        "Editors can publish pages, and viewers can only read them. Admins can do "
        "everything except delete the space. Only the owner can delete the space.",
        (
            "Viewers can publish pages.",
            "Admins can do everything.",
            "Admins can delete the space.",
            "The space can be deleted.",
            "Editors can only read them.",
            "Viewers can read and publish pages.",
            "Editors can delete the space.",
        ),
    ),
    (
        "Cups",
        "Marn won silver in 1950 and Velm gold in 1954.",
        (
            "Velm won silver in 1950.",
            "Marn won gold in 1954.",
            "Marn won silver in 1954.",
            "Velm gold won in 1950.",
        ),
    ),
    (
        "Ships",
        "The Orla carried coal in winter and the Sark wood in summer.",
        (
            "The Orla carried wood in summer.",
            "The Orla carried coal in summer.",
            "The Sark carried coal in winter.",
        ),
    ),
    (
        "Staff",
        "Otto Renn taught Latin from 1920 to 1930 and Greek from 1931 to 1940.",
        (
            "Otto Renn taught Greek from 1920 to 1930.",
            "Otto Renn taught Latin from 1931 to 1940.",
            "Otto Renn taught Latin from 1920 to 1940.",
            "Otto Renn taught Latin and Greek from 1920 to 1930.",
        ),
    ),
    (
        "Prizes",
        "She got the first prize for her novel and the second for her poems.",
        (
            "She got the first prize for her poems.",
            "She got the second prize for her novel.",
        ),
    ),
    (
        "Doses",
        "Give 5 ml to infants and 10 ml to adults.",
        (
            "Give 10 ml to infants.",
            "Give 5 ml to adults.",
            "Give 5 ml to infants and adults.",
            "Give 5 ml.",
        ),
    ),
    (
        "Rooms",
        "The hall seats 200 people and the studio 40.",
        (
            "The studio seats 200 people.",
            "The hall seats 40.",
            "The hall seats 240 people.",
        ),
    ),
    (
        "Taxes",
        "Wine is taxed at 20 % and bread at 5 %.",
        (
            "Bread is taxed at 20 %.",
            "Wine is taxed at 5 %.",
            "Wine and bread are taxed at 20 %.",
        ),
    ),
    (
        "Ports",
        "The server listens on port 80 for the site and on port 81 for the API.",
        (
            "The server listens on port 81 for the site.",
            "The server listens on port 80 for the API.",
            "The server listens on ports 80 and 81 for the API.",
        ),
    ),
    (
        "Keys",
        "Press F1 for help, F2 to rename and F5 to reload.",
        (
            "Press F2 for help.",
            "Press F1 to rename.",
            "Press F5 to rename.",
            "Press F2 to reload.",
        ),
    ),
    (
        "Gears",
        "Turn the left wheel clockwise and the right wheel counterclockwise.",
        (
            "Turn the right wheel clockwise.",
            "Turn the left wheel counterclockwise.",
            "Turn both wheels clockwise.",
        ),
    ),
    (
        "Sides",
        "Males weigh 8 kg and females 5 kg on average.",
        (
            "Females weigh 8 kg on average.",
            "Males weigh 5 kg on average.",
            "Males weigh 8 kg and females 5 kg.",
        ),
    ),
    (
        "Seats",
        "Rows 1 to 4 are reserved for members, rows 5 to 9 for guests.",
        (
            "Rows 5 to 9 are reserved for members.",
            "Rows 1 to 4 are reserved for guests.",
            "Rows 1 to 9 are reserved for members.",
        ),
    ),
    (
        "Bulbs",
        "Lamps that use LED bulbs last ten years.",
        (
            "Lamps last ten years.",
            "LED bulbs last ten years.",
            "Lamps use LED bulbs.",
        ),
    ),
    (
        "Drivers",
        "Drivers who have been fined twice lose their licence.",
        (
            "Drivers lose their licence.",
            "Drivers have been fined twice.",
            "Drivers who have been fined lose their licence.",
        ),
    ),
    (
        "Fish",
        "Fish caught in the harbour must not be eaten.",
        (
            "Fish must not be eaten.",
            "Fish caught in the harbour must be eaten.",
        ),
    ),
    (
        "Files",
        "Files older than 30 days are deleted; files in use are kept.",
        (
            "Files are deleted.",
            "Files are kept.",
            "Files older than 30 days are kept.",
            "Files in use are deleted.",
        ),
    ),
    (
        "Parcels",
        "Parcels weighing more than 20 kg are delivered by van.",
        (
            "Parcels are delivered by van.",
            "Parcels weighing 20 kg are delivered by van.",
            "Parcels delivered by van weigh more than 20 kg.",
        ),
    ),
    (
        "Users",
        "Users whose account is locked cannot log in.",
        (
            "Users cannot log in.",
            "Users whose account is locked can log in.",
            "The account of users is locked.",
        ),
    ),
    (
        "Pipes",
        "The pipe that feeds the boiler leaks.",
        (
            "The boiler leaks.",
            "The boiler feeds the pipe.",
        ),
    ),
    (
        "Doctors",
        "The doctor whom Otto Renn sued won the case.",
        (
            "Otto Renn won the case.",
            "The doctor sued Otto Renn.",
            "Otto Renn sued the case.",
        ),
    ),
    (
        "Mine",
        "The mine did not close because of the strike.",
        (
            "The mine did not close.",
            "The mine closed because of the strike.",
            "Because of the strike, the mine did not close.",
        ),
    ),
    (
        "Guests",
        "Guests do not have to pay and may stay overnight.",
        (
            "Guests do not have to stay overnight.",
            "Guests may pay.",
            "Guests must pay.",
            "Guests may not stay overnight.",
        ),
    ),
    (
        "Cats",
        "Cats cannot taste sugar or see red.",
        (
            "Cats can see red.",
            "Cats can taste sugar.",
            "Cats cannot taste sugar but see red.",
        ),
    ),
    (
        "Rain",
        "It did not rain in May and June was dry.",
        (
            "It did not rain in June.",
            "It rained in May.",
        ),
    ),
    (
        "Nuts",
        "The cake contains no nuts and little sugar.",
        (
            "The cake contains little nuts.",
            "The cake contains no sugar.",
            "The cake contains nuts.",
        ),
    ),
    (
        "Ring",
        "Without a ring the seal leaks.",
        (
            "The seal leaks.",
            "With a ring the seal leaks.",
            "Without a seal the ring leaks.",
        ),
    ),
    (
        "Path",
        "The path is neither lit nor paved.",
        (
            "The path is lit.",
            "The path is paved.",
            "The path is not lit but paved.",
        ),
    ),
    (
        "Lamp B",
        "The lamp has two bulbs. The red one is for night use. It must not be covered.",
        (
            "The lamp must not be covered.",
            "The night use must not be covered.",
            "The lamp is for night use.",
        ),
    ),
    (
        "Mower",
        "The mower has a blade and a bag. It should be emptied after an hour.",
        (
            "The mower should be emptied after an hour.",
            "The blade should be emptied after an hour.",
        ),
    ),
    (
        "Sark Hall",
        "Sark Hall stands by the lake. Velm Hall was built in 1700. It has 40 rooms.",
        (
            "Sark Hall has 40 rooms.",
            "Sark Hall was built in 1700.",
            "The lake has 40 rooms.",
        ),
    ),
    (
        "Orla X2",
        "The Orla X2 is a drone. Its rival, the Sark 9, flies for an hour. It weighs 2 kg.",
        (
            "The Orla X2 flies for an hour.",
            "The Orla X2 weighs 2 kg.",
        ),
    ),
    (
        "Eva Stern",
        "Eva Stern was a chemist. Her mother was a painter. She died in 1940.",
        (
            "Eva Stern died in 1940.",
            "Eva Stern was a painter.",
            "Her mother died in 1940.",
        ),
    ),
    (
        "Backups",
        "The nightly job copies the data. The weekly job deletes it. This takes an hour.",
        (
            "The nightly job takes an hour.",
            "The nightly job deletes the data.",
            "The weekly job copies the data.",
            "Copying the data takes an hour.",
        ),
    ),
    (
        "Zones",
        "Zone A is for buses. Zone B is for taxis. Parking there costs 30 euros.",
        (
            "Parking in zone A costs 30 euros.",
            "Zone A is for taxis.",
            "Parking costs 30 euros.",
            "Zone B is for buses.",
        ),
    ),
    (
        "Deal",
        "Marn sold Velm the island for 900 crowns.",
        (
            "Velm sold Marn the island for 900 crowns.",
            "Marn bought the island for 900 crowns.",
        ),
    ),
    (
        "Gift",
        "The duke gave his sister the castle his father had built.",
        (
            "The duke gave his father the castle.",
            "The duke had built the castle.",
            "His sister had built the castle.",
        ),
    ),
    (
        "Swap",
        "Replace butter with oil.",
        (
            "Replace oil with butter.",
            "Use butter to replace oil.",
            "Replace butter.",
        ),
    ),
    (
        "Prefer",
        "Wolves prefer deer to sheep.",
        (
            "Wolves prefer sheep to deer.",
            "Deer prefer wolves to sheep.",
            "Wolves prefer sheep.",
        ),
    ),
    (
        "Convert",
        "The tool converts PDF files into text.",
        (
            "The tool converts text into PDF files.",
            "Text converts PDF files into the tool.",
        ),
    ),
    (
        "Route",
        "The road leads from Lisk via Marn to Velm.",
        (
            "The road leads from Velm via Marn to Lisk.",
            "The road leads from Lisk via Velm to Marn.",
        ),
    ),
    (
        "Doxine",
        "Two weeks of doxine tablets cure nearly all patients. Luthen had barely 9,000 men.",
        ("Two weeks of doxine tablets nearly cure all patients.",),
    ),
    (
        "Grants",
        "The fund supports museums with fewer than five employees.",
        (
            "Museums with fewer than five employees are supported for the fund.",
            "Museums with fewer than five employees support the fund.",
        ),
    ),
    (
        "Corvo",
        "Corvo starts one worker thread per CPU core. Corvo deletes old logs.",
        (
            "One worker thread is started for Corvo per CPU core.",
            "Old logs are deleted for Corvo.",
        ),
    ),
    (
        "Harbour Exchange",
        "The Harbour Exchange is a market hall. Grain dealing ended in 1988.",
        ("Grain dealing at the Exchange Harbour ended in 1988.",),
    ),
    (
        "Wayfold Maps SDK",
        "The Wayfold Maps SDK draws maps. An area lets an app show maps without a connection.",
        ("In the Maps Wayfold SDK, an area lets an app show maps without a connection.",),
    ),
    (
        "Losses",
        "The army lost 3,200 killed and wounded and 900 prisoners.",
        (
            "The army lost 3,200 killed or wounded and 900 prisoners.",
            "The army lost 3,200 killed.",
        ),
    ),
    (
        "Rules",
        "The hall is new. Photos are allowed, and a permit is required.",
        ("Photos are allowed.",),
    ),
    ("Rules", "The hall is new. Dogs are allowed; a lead is required.", ("Dogs are allowed.",)),
)
